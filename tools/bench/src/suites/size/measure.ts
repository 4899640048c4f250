import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { rolldown } from "rolldown";

import type { Entry } from "./entries.ts";

/** The size of a bundle in bytes. */
export interface Size {
  readonly minified: number;
  readonly gzipped: number;
}

const main = fileURLToPath(new URL("entry.js", import.meta.url));

/** Bundles an entry as a browser or server build would: minified, unused code removed, `node:` modules left out. */
export async function measure({ code, conditions = ["browser"] }: Entry): Promise<Size> {
  const bundle = await rolldown({
    input: main,
    external: /^node:/,
    platform: conditions.includes("node") ? "node" : "browser",
    resolve: { conditionNames: [...conditions, "import", "default"] },
    logLevel: "silent",
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === main ? id : undefined),
        load: (id) => (id === main ? code : undefined),
      },
    ],
  });
  try {
    const { output } = await bundle.generate({ minify: true, format: "esm" });
    const text = output.map((chunk) => ("code" in chunk ? chunk.code : "")).join("");
    return { minified: Buffer.byteLength(text), gzipped: gzipSync(text, { level: 9 }).length };
  } finally {
    await bundle.close();
  }
}
