// "Back" with a dialog open closes the dialog.
//
// An open dialog has an entry of its own in the history. A dialog that is closed otherwise leaves the
// entry behind for the next one, because going back is not over at once and could hit that one; the
// next "back" then skips it.

let isMarked = false;
let page = "";

/** @param {HTMLDialogElement} dialog */
export function watchBack(dialog) {
  addEventListener("popstate", () => {
    if (!isMarked || location.href !== page || history.state?.dialog) return;
    isMarked = false;
    if (dialog.open) dialog.close();
    else history.back();
  });
}

/** Gives the dialog that has opened its entry. */
export function markBack() {
  if (isMarked) return;
  isMarked = true;
  page = location.href;
  history.pushState({ dialog: true }, "");
}
