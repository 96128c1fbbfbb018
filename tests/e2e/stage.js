// What is asked of a table's page in any window: everything that can be tapped is hit, is large enough and is in
// view or in a box that shows that it scrolls; no text is cut or lies on another; each player's name and points are
// seen. The page is in a frame, which is given each size in turn.
//
//   measured(frame, [width, height, text], players)  → the faults, a line each

const TAPPED =
  "button, a[href], summary, label:has(input), .f:is(.open, .choosable, .early):has(.hit)";
const MANY_FIELDS = 120; // a sheet of more than twelve columns has more
const SLACK = 1.5; // pixels that rounding makes

const round = (number) => Number(number.toFixed(1));

/** @param {HTMLIFrameElement} frame @param {[number, number, number]} size @param {string[]} players */
globalThis.measured = function measured(frame, [width, height, text], players) {
  Object.assign(frame.style, { width: `${width}px`, height: `${height}px` });
  const window = frame.contentWindow;
  const document = frame.contentDocument;
  document.documentElement.style.fontSize = `${text}%`;
  // A note that a smaller window folded is whole again, until this one folds it.
  for (const note of document.querySelectorAll(".toast.folded")) {
    note.classList.remove("folded");
    note.querySelector(".unfold").remove();
  }
  // Nothing is painted between two sizes: no script of the page waits for a frame, and its notes stay meanwhile.
  frame.getBoundingClientRect();
  window.dispatchEvent(new Event("resize"));
  return new Look(window, document, width, height, text).faults(players);
};

class Look {
  constructor(window, document, width, height, text) {
    Object.assign(this, { window, document, width, height, text, found: [] });
    this.screen = { left: 0, top: 0, right: width, bottom: height };
    this.styles = new Map();
    this.boxes = new Map();
    this.around = new Map();
  }

  style(element) {
    if (!this.styles.has(element)) this.styles.set(element, this.window.getComputedStyle(element));
    return this.styles.get(element);
  }

  box(element) {
    if (!this.boxes.has(element)) this.boxes.set(element, element.getBoundingClientRect());
    return this.boxes.get(element);
  }

  faults(players) {
    const root = this.document.documentElement;
    if (root.scrollWidth > this.width) this.found.push(`the page is ${root.scrollWidth} wide`);
    if (this.document.body.scrollHeight > this.height + SLACK)
      this.found.push(`the page is ${this.document.body.scrollHeight} high`);
    this.lookAtTargets();
    this.lookAtTexts();
    this.lookAtPlayers(players);
    return [...new Set(this.found)];
  }

  isShown(element) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    if (element.closest(".skip, .visually-hidden, dialog:not([open]), .turn-flash, .handed"))
      return false;
    return !this.isClipped(element);
  }

  isClipped(element) {
    if (this.style(element).clipPath !== "none") return true;
    return element.parentElement !== null && this.isClipped(element.parentElement);
  }

  name(element) {
    const text = element.getAttribute("aria-label") ?? element.textContent;
    const named = (element.id && `#${element.id}`) || element.getAttribute("class") || "";
    const words = text.trim().replace(/\s+/g, " ").slice(0, 24);
    return `${element.tagName.toLowerCase()} ${named} "${words}"`;
  }

  // The boxes around an element that cut off what leaves them, from the inside to the outside.
  clips(element) {
    if (!element || element === this.document.body) return [];
    if (!this.around.has(element)) {
      const { overflow, display } = this.style(element);
      const isBox = display !== "contents" && !(element instanceof this.window.SVGElement);
      const further = this.clips(element.parentElement);
      this.around.set(element, isBox && overflow !== "visible" ? [element, ...further] : further);
    }
    return this.around.get(element);
  }

  isIn(box, frame) {
    return (
      box.top >= frame.top - SLACK &&
      box.left >= frame.left - SLACK &&
      box.bottom <= frame.bottom + SLACK &&
      box.right <= frame.right + SLACK
    );
  }

  // Whether a box scrolls and shows it: its edge fades. A folded note has a button for all of its words instead.
  showsScrolling(element) {
    const { overflowX, overflowY, maskImage } = this.style(element);
    const scrolls =
      element.matches(".folded > .noted") ||
      [overflowX, overflowY].some((flow) => flow === "auto" || flow === "scroll");
    const isMore =
      element.scrollHeight > element.clientHeight + SLACK ||
      element.scrollWidth > element.clientWidth + SLACK;
    return scrolls && isMore && maskImage !== "none";
  }

  // Where something is seen: `in` view, `scrolled` out of it, or cut off.
  place(element, box) {
    let isScrolled = false;
    for (const around of this.clips(element.parentElement)) {
      if (this.isIn(box, this.box(around))) continue;
      if (!this.showsScrolling(around)) return `is cut off by ${this.name(around)}`;
      isScrolled = true;
    }
    if (isScrolled) return "scrolled";
    return this.isIn(box, this.screen) ? "in" : "is out of view";
  }

  least(element) {
    const isUpright = this.width < 600 && this.height > this.width;
    const isOfMany = this.document.querySelectorAll(".selected .f").length > MANY_FIELDS;
    if (element.matches(".f")) return isOfMany ? 22 : 26;
    // So are the columns of others beside the own one: as narrow as their numbers.
    if (element.matches('.play[data-sheet~="column"] .enlarge')) return 24;
    // Eight or more tabs beside each other are as wide as the window allows.
    if (element.matches(".tab:nth-child(n + 8), .tabs:has(:nth-child(8)) > .tab")) return 28;
    return isUpright && this.width >= 360 && this.text === 100 ? 44 : 32;
  }

  lookAtTargets() {
    const seen = new Set();
    for (const element of this.document.querySelectorAll(TAPPED)) {
      const target = element.closest("label") ?? element;
      if (seen.has(target) || target.disabled || !this.isShown(target)) continue;
      if (this.style(target).pointerEvents === "none" || this.isLeftOut(target)) continue;
      seen.add(target);
      this.lookAtTarget(target);
    }
  }

  // A sheet leaves fields out of which nobody has need during a game.
  isLeftOut(target) {
    const field = target.matches(".f") && target.querySelector(".hit").getBoundingClientRect();
    const sheet = field && this.box(target.closest("svg"));
    return (
      field && (field.left > sheet.right || field.top > sheet.bottom || field.right < sheet.left)
    );
  }

  lookAtTarget(target) {
    // A small sheet is, as a whole, the button that makes it large.
    const sheet = target.matches(".enlarge") && target.closest(".player");
    const box = (sheet || target.querySelector(".hit") || target).getBoundingClientRect();
    if (!box.width) return;
    const name = target.matches(".f") ? "a field" : this.name(target);
    const small = Math.min(box.width, box.height);
    if (small < this.least(target) - 0.5)
      this.found.push(`${name} is ${round(box.width)}×${round(box.height)}`);
    const place = this.place(sheet || target, box);
    if (place === "scrolled") return;
    if (place !== "in") {
      this.found.push(`${name} ${place}`);
      return;
    }
    const top = this.document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (!target.contains(top))
      this.found.push(`${name} is covered by ${top ? this.name(top) : "nothing"}`);
  }

  // The lines of text in view, with the element that each belongs to.
  *texts() {
    const walk = this.document.createTreeWalker(this.document.body, 4);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const element = node.parentElement;
      if (!node.data.trim() || element.closest("svg, template, script, style, noscript")) continue;
      if (!this.isShown(element)) continue;
      const range = this.document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) if (box.width > 1) yield { element, box };
    }
  }

  lookAtTexts() {
    const lines = [...this.texts()];
    const inView = [];
    for (const { element, box } of lines) {
      const place = this.place2(element, box);
      if (place === "in") inView.push({ element, box });
      else if (place !== "scrolled") this.found.push(`text "${this.said(element)}" ${place}`);
    }
    for (const element of new Set(lines.map((line) => line.element))) this.lookAtClamp(element);
    for (const [at, one] of inView.entries()) {
      for (const other of inView.slice(at + 1)) if (this.isOn(one, other)) this.foundOn(one, other);
    }
  }

  // A line of letters is higher than what is drawn of it.
  place2(element, box) {
    const inset = box.height * 0.2;
    const { left, right, top, bottom } = box;
    const drawn = { left, right, top: top + inset, bottom: bottom - inset };
    let isScrolled = false;
    for (const around of this.clips(element)) {
      if (this.isIn(drawn, this.box(around))) continue;
      if (!this.showsScrolling(around)) return `is cut off by ${this.name(around)}`;
      isScrolled = true;
    }
    if (isScrolled) return "scrolled";
    return this.isIn(drawn, this.screen) ? "in" : "is out of view";
  }

  said(element) {
    return element.textContent.trim().replace(/\s+/g, " ").slice(0, 30);
  }

  // An ellipsis instead of words
  lookAtClamp(element) {
    for (const around of this.clips(element)) {
      const { textOverflow, webkitLineClamp } = this.style(around);
      if (textOverflow !== "ellipsis" && webkitLineClamp === "none") continue;
      const wide = around.scrollWidth - around.clientWidth;
      const high = webkitLineClamp === "none" ? 0 : around.scrollHeight - around.clientHeight;
      if (Math.max(wide, high) > SLACK)
        this.found.push(`text "${this.said(around)}" is clamped by ${wide}×${high}`);
    }
  }

  isOn({ element: one, box: a }, { element: other, box: b }) {
    if (one === other || one.contains(other) || other.contains(one)) return false;
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return wide > 2 && high > 0.3 * Math.min(a.height, b.height);
  }

  foundOn(one, other) {
    // What lies over the page with a ground of its own is asked for as a target.
    this.found.push(`text "${this.said(one.element)}" lies on "${this.said(other.element)}"`);
  }

  // Whether nothing but its own surroundings, or a picker that is open, lies over the middle of an element.
  isOnTop(element, around) {
    const box = element.getBoundingClientRect();
    const top = this.document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (top === null) return false;
    return around.contains(top) || top.contains(element) || top.closest(".from-below") !== null;
  }

  // A name with points beside it, both in view, for each player.
  lookAtPlayers(players) {
    const places = [
      ...this.document.querySelectorAll(".tab, .player-head, .taken li, .standing"),
    ].filter((place) => this.isShown(place));
    for (const player of players) {
      const own = places.filter((place) => place.querySelector("bdi")?.textContent === player);
      const isSeen = own.some((place) => {
        const number = place.querySelector(".points, .total, b");
        const parts = [place.querySelector("bdi"), number].filter(Boolean);
        return (
          parts.length === 2 &&
          parts.every((part) => this.place(part, part.getBoundingClientRect()) === "in") &&
          parts.every((part) => this.isOnTop(part, place))
        );
      });
      if (!isSeen) this.found.push(`${player} is not seen with name and points`);
    }
  }
}
