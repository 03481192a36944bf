// Search without a server: browsers start no worker for a page from disk, so the worker's script runs in a hidden frame.
"use strict";
if (location.protocol === "file:") {
  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      script.src = new URL(url, location.href).href;
      this.loaded = new Promise((done) => script.addEventListener("load", done));
      frame.contentDocument.head.append(script);
    }

    postMessage(data) {
      this.loaded.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }
  }
  window.Worker = FrameWorker;
  window.IFrameWorker = FrameWorker; // by this name the script knows that it is in a frame
}
