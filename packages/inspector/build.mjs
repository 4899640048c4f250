// The page of the inspector: one script, one style sheet and a document, as strings in a module that any runtime can load.
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
const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
await bundle.close();

const script = output[0].code;
const style = readFileSync("src/page/style.css", "utf8")
  .replace(/\/\*[^]*?\*\//g, "")
  .replace(/\n\s*/g, "\n");
const html = readFileSync("src/page/index.html", "utf8");
const icon = readFileSync("src/page/icon.svg", "utf8");
const text = Object.entries({ html, script, style, icon })
  .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
  .join("");
mkdirSync("assets", { recursive: true });
writeFileSync("assets/page.js", text);

const kib = (size) => `${(size / 1024).toFixed(1)} KiB`;
console.log(
  `page: ${kib(text.length)}, ${kib(gzipSync(html).length + gzipSync(script).length + gzipSync(style).length)} gzip`,
);
