// Score by photo: makes photos smaller where the reading allows it, sends them one by one, and
// answers taps on a sheet. Without this file the forms and links of the pages do the same.

(() => {
  "use strict";

  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const words = (name, values = {}) => Object.entries(values)
    .reduce((text, [key, value]) => text.replace(`{${key}}`, value), $("#photo-words").dataset[name]);

  const MOST_PIXELS = 12_000_000;   // the reader looks at no more unless the sheets are tiny
  const QUALITY = 0.9;
  const SMALL_BYTES = 1_500_000;    // a file of this size is sent as it is
  const SEND_MS = 180_000;

  document.documentElement.classList.add("scripted");

  // What the browser cannot open (HEIC on most phones) is sent as it is.
  async function smaller(file) {
    if (file.size <= SMALL_BYTES || !globalThis.createImageBitmap) return file;
    let bitmap = null;
    try {
      bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
      const share = Math.min(1, Math.sqrt(MOST_PIXELS / (bitmap.width * bitmap.height)));
      if (share === 1 && /jpe?g|webp/.test(file.type)) return file;
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(bitmap.width * share);
      canvas.height = Math.round(bitmap.height * share);
      const pen = canvas.getContext("2d");
      pen.imageSmoothingQuality = "high";
      pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      const made = await new Promise((done) => { canvas.toBlob(done, "image/jpeg", QUALITY); });
      canvas.width = canvas.height = 0;
      return made && made.size < file.size ? made : file;
    } catch {
      return file;
    } finally {
      bitmap?.close();
    }
  }

  // Sends one file; resolves to the address of the review.
  function sent(address, fields, file, name, sending, show) {
    return new Promise((done, failed) => {
      const request = new XMLHttpRequest();
      sending.request = request;
      const body = new FormData();
      for (const [key, value] of fields) body.append(key, value);
      body.append("photo", file, name);
      request.open("POST", address);
      request.timeout = SEND_MS;
      request.setRequestHeader("HX-Request", "true");
      request.upload.addEventListener("progress", (event) => {
        if (event.lengthComputable) show(100 * event.loaded / event.total);
      });
      request.addEventListener("load", () => {
        const review = request.getResponseHeader("HX-Redirect");
        if (request.status < 400 && review) { done(review); return; }
        const note = new DOMParser().parseFromString(request.responseText, "text/html").body.textContent.trim();
        failed(new Error(request.status < 500 && note ? note : words("offline")));
      });
      for (const event of ["error", "timeout"]) request.addEventListener(event, () => failed(new Error(words("offline"))));
      request.addEventListener("abort", () => failed(null));
      request.send(body);
    });
  }

  async function send(form, files) {
    const box = $("[data-sending]", form);
    const text = $("[data-sending-text]", form);
    const bar = $("progress", form);
    const refused = $("[data-refused]", form);
    const sending = { request: null, stopped: false };
    const fields = [...new FormData(form)].filter(([key]) => key !== "photo");
    const count = files.length;
    const say = (word, number) => { const said = words(word, { number, count }); if (text.textContent !== said) text.textContent = said; };
    let address = form.action;
    let review = null;
    refused.hidden = true;
    box.hidden = false;
    form.classList.add("is-sending");
    $("[data-stop-sending]", form).onclick = () => { sending.stopped = true; sending.request?.abort(); };
    try {
      for (const [index, file] of files.entries()) {
        bar.value = 0;
        say("preparing", index + 1);
        const ready = await smaller(file);
        if (sending.stopped) break;
        if (ready.size > Number(form.dataset.most)) throw new Error(words("large"));
        say("sending", index + 1);
        review = await sent(address, fields, ready, ready === file ? file.name : "photo.jpg", sending, (share) => { bar.value = share; });
        // The others go to the review that the first one has made.
        if (address.endsWith("/new")) address = `/upload/${review.split("/")[2]}`;
      }
    } catch (error) {
      if (error) { refused.textContent = error.message; refused.hidden = false; }
    }
    box.hidden = true;
    form.classList.remove("is-sending");
    for (const input of $$("[data-photo]", form)) input.value = "";
    if (!review) return;
    if (!refused.hidden) await new Promise((done) => { setTimeout(done, 2500); });
    if ($("#review")) htmx.ajax("GET", `${review}?sheet=${shown()}`, { target: "#review", swap: "morph:outerHTML" });
    else location.assign(review);
  }

  const shown = () => $("#review [name=shown]")?.value ?? "";

  document.addEventListener("change", (event) => {
    const input = event.target;
    if (input.matches("[data-photo]") && input.files.length) send(input.form, [...input.files]);
  });

  // Fields of a sheet are links: a tap on a cross changes it, any other field asks what stands there.
  document.addEventListener("click", (event) => {
    const field = event.target.closest(".reading a.m");
    if (field) {
      event.preventDefault();
      const address = field.getAttribute("href");
      if (field.dataset.toggle) {
        htmx.ajax("POST", address, { source: field, target: "#review", swap: "morph:outerHTML", values: { value: field.dataset.toggle, shown: shown() } });
      } else {
        htmx.ajax("GET", address, { target: "#dialog-content", swap: "innerHTML" });
      }
      return;
    }
    const digit = event.target.closest("[data-digit]");
    if (digit) {
      const input = $("input", digit.closest("[data-digits]"));
      input.value = digit.dataset.digit === "back" ? input.value.slice(0, -1) : `${input.value}${digit.dataset.digit}`.slice(-3);
      return;
    }
    const button = event.target.closest("[data-show]");
    if (button) show(button);
  });

  function show(button) {
    const panel = button.closest(".sheet-panel");
    const on = button.getAttribute("aria-pressed") !== "true";
    for (const other of $$("[data-show]", panel)) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", String(on));
    const fields = on ? button.dataset.show.split(" ") : [];
    $(".reading", panel).classList.toggle("has-lit", on);
    let first = null;
    for (const field of $$("[data-field]", panel)) {
      const lit = fields.includes(field.dataset.field);
      field.classList.toggle("lit", lit);
      first ??= lit ? field : null;
    }
    // "smooth" is for those who want motion.
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    first?.scrollIntoView({ block: "nearest", inline: "center", behavior });
  }

  // Enter is the end of typing a name, as leaving the field is; the form would be sent twice.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("#review input[name=name]")) {
      event.preventDefault();
      event.target.blur();
    }
  });

  // A name that is being typed is not the server's to redraw until it has been sent.
  const NAME = "#review input[name=name]";
  document.addEventListener("input", (event) => { if (event.target.matches(NAME)) event.target.dataset.keep = ""; });
  document.addEventListener("htmx:beforeSend", (event) => {
    for (const input of $$(NAME, event.detail.elt)) delete input.dataset.keep;
  });

  // Saved or thrown away in another tab: the page says so, once.
  document.addEventListener("htmx:responseError", (event) => {
    const { xhr, requestConfig } = event.detail;
    if (xhr.status === 404 && requestConfig?.path.includes("/progress")) location.reload();
  });

  // An answer that has redrawn the review is the end of what was asked in the dialog.
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id === "review" && $("#dialog").open && !$("#dialog").contains(document.activeElement?.closest?.("[data-digits] input"))) $("#dialog").close();
  });
})();
