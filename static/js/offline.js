// The offline page makes way for the page that was asked for, once that can be reached again.

import { inTime } from "./page/net.js";

const AGAIN_MS = 5000;

async function look() {
  try {
    // The service worker answers no HEAD, so this asks the server.
    await fetch(location.href, { method: "HEAD", ...inTime() });
    location.reload();
  } catch {
    // Still no connection.
  }
}

addEventListener("online", look);
setInterval(look, AGAIN_MS);
