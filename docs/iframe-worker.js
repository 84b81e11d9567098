// What the search of the site needs before its own script (mkdocs.yml names this file in the place
// of a script from the network).
//
// Browsers refuse workers on pages of file://. There the worker of the search runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #waiting = [];
    #frame = document.createElement("iframe");

    constructor(address) {
      super();
      this.#frame.hidden = true;
      this.#frame.srcdoc = `<script src="${new URL(address, location.href)}"></script>`;
      this.#frame.addEventListener("load", () => this.#begin());
      document.documentElement.append(this.#frame);
    }

    postMessage(data) {
      if (this.#waiting) this.#waiting.push(data);
      else this.#deliver(this.#frame.contentWindow, data);
    }

    #begin() {
      this.#frame.contentWindow.postMessage = (data) => this.#deliver(this, data);
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting.forEach((data) => this.postMessage(data));
    }

    // Later, as a worker does: a message never runs inside the call that sends it.
    #deliver(receiver, data) {
      setTimeout(() => receiver.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}

// A word that begins with a hyphen is an exclusion in the language of queries, and one with two an
// error. Here `--baud` is the name of an option: look for its words.
const QUERY = 2;
const send = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  const text = message.type === QUERY ? message.data.replace(/(^|\s)--(?=\w|$)/g, "$1") : message.data;
  return send.call(this, { ...message, data: text }, ...rest);
};
