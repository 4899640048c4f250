import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import { entries } from "./src/suites/size/entries.ts";
const want = process.argv[2]!;
const e = entries.find((x) => x.name.includes(want))!;
const cond = [...(e.conditions ?? ["browser"])];
const r = await build({
  stdin: { contents: e.code, resolveDir: process.cwd(), loader: "js" },
  bundle: true,
  splitting: true,
  outdir: "/tmp/szes",
  format: "esm",
  minify: true,
  treeShaking: true,
  write: false,
  external: ["node:*"],
  platform: cond.includes("node") ? "node" : "neutral",
  conditions: [...cond, "import"],
  mainFields: ["module", "main"],
  metafile: true,
});
const by = new Map(
  r.outputFiles.map((f) => [f.path.replace(/.*\/main\/tools\/bench\//, "").replace(/^.*\/szes/, "szes"), f]),
);
const outs = r.metafile.outputs;
const entry = Object.keys(outs).find((k) => outs[k]!.entryPoint === "<stdin>" || k.endsWith("stdin.js"))!;
const seen = new Set<string>();
const visit = (k: string) => {
  if (seen.has(k)) return;
  seen.add(k);
  for (const i of outs[k]!.imports) if (i.kind === "import-statement" && outs[i.path]) visit(i.path);
};
visit(entry);
const text = (ks: string[]) =>
  ks.map((k) => r.outputFiles.find((f) => f.path.endsWith(k.split("/").pop()!))!.text).join("");
const z = (s: string) => [s.length, gzipSync(s, { level: 9 }).length];
console.log("start", z(text([...seen])), "total", z(text(Object.keys(outs))));
const list: [number, string][] = [];
for (const k of seen)
  for (const [i, v] of Object.entries(outs[k]!.inputs))
    list.push([v.bytesInOutput, i.replace(/.*packages\//, "").replace("/dist/", "/")]);
console.log(
  list
    .sort((a, b) => b[0] - a[0])
    .map((x) => x.join(" "))
    .join("\n"),
);
