// The page of the inspector: scripts, a style sheet and a document, as strings in a module that any runtime can load.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { rolldown } from "rolldown";

const bundle = await rolldown({
  input: "src/page/main.tsx",
  platform: "browser",
  tsconfig: false,
  resolve: { conditionNames: ["@tenon/source", "browser", "import", "default"] },
  transform: { jsx: { runtime: "automatic", importSource: "preact" }, target: "es2023" },
});
const { output } = await bundle.generate({
  format: "esm",
  minify: true,
  entryFileNames: "page.js",
  chunkFileNames: (chunk) => (chunk.isDynamicEntry ? "chat.js" : "shared.js"),
});
await bundle.close();

const scripts = Object.fromEntries(output.map(({ fileName, code }) => [fileName, code]));
const style = readFileSync("src/page/style.css", "utf8")
  .replace(/\/\*[^]*?\*\//g, "")
  .replace(/\n\s*/g, "\n");
const html = readFileSync("src/page/index.html", "utf8");
const icon = readFileSync("src/page/icon.svg", "utf8");
const text = Object.entries({ html, scripts, style, icon })
  .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
  .join("");
mkdirSync("assets", { recursive: true });
writeFileSync("assets/page.js", text);

// The view Chat is loaded when it is opened for the first time.
const { "chat.js": chat, ...first } = scripts;
const zipped = (texts) => texts.reduce((sum, one) => sum + gzipSync(one).length, 0);
const kib = (size) => `${(size / 1024).toFixed(1)} KiB`;
console.log(
  `page: ${kib(text.length)}; first load ${kib(zipped([html, style, ...Object.values(first)]))} gzip, chat ${kib(zipped([chat]))}`,
);
