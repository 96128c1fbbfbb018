// Over https a service worker shows the app's shell offline. Plain http allows none.

/** Registers the worker if the page came over https. */
export function install() {
  if (location.protocol !== "https:") return;
  navigator.serviceWorker?.register("/worker.js").catch(() => {
    // A private window allows none; the app needs none.
  });
}
