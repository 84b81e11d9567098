// Builds the page into host/src/tickertape/view/page, or into the folder given as an argument.
// The first line of page.js contains the hash of the sources; `make check` compares it.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "../src/tickertape/view/page");
const sources = readdirSync(join(here, "src")).sort();
const hash = createHash("sha256");
for (const name of sources) {
  hash.update(name + "\0");
  hash.update(readFileSync(join(here, "src", name)));
}

mkdirSync(output, { recursive: true });
await build({
  entryPoints: [join(here, "src/page.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  banner: { js: `/* sources ${hash.digest("hex")} */` },
  outfile: join(output, "page.js"),
});
for (const name of ["index.html", "page.css"]) {
  copyFileSync(join(here, "src", name), join(output, name));
}
