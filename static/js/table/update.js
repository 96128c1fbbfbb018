// An update of the server. A page that has been open since before has the old script.

import { keep, kept } from "../page/store.js";

const KEY = "loaded-for";

export class Update {
  /**
   * @param {() => string | undefined} build what the page was drawn by last: a version of the app
   * @param {() => boolean} isBusy whether something would be lost, or disappear, by a reload
   * @param {() => void} reload
   */
  constructor(build, isBusy, reload) {
    this.build = build;
    this.isBusy = isBusy;
    this.reload = reload;
    this.loaded = build();
  }

  /** Reloads the page if another build has drawn it; once for each build. */
  check() {
    const build = this.build();
    if (build === this.loaded || this.isBusy() || kept(KEY, "") === build) return;
    keep(KEY, build);
    this.reload();
  }
}
