// The phone's time zone, sent in a cookie: the server draws all times, and takes those that are typed.
//   data-offset   at the page's words: the minutes from UTC to the times that stand on it, if any do
//   data-path     the part of the host that is the app's

import { the } from "./dom.js";

const YEAR_S = 365 * 24 * 60 * 60;

export function sendZone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const cookie = `zone=${timeZone}`;
  const isSent = () => document.cookie.split("; ").includes(cookie);
  const { path, offset = "" } = the("#words").dataset;
  const here = String(-new Date().getTimezoneOffset());
  if (!timeZone || isSent()) return;
  const secure = location.protocol === "https:" ? "; secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https.
  document.cookie = `${cookie}; path=${path}; max-age=${YEAR_S}; samesite=lax${secure}`;
  // A page that was drawn before shows another zone's times.
  if (offset && offset !== here && isSent()) location.reload();
}
