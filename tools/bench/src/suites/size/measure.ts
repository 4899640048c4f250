import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { rolldown } from "rolldown";

import type { Entry } from "./entries.ts";

/** The size of a bundle in bytes. */
export interface Size {
  readonly minified: number;
  readonly gzipped: number;
  /** With the code that is loaded when it is first used, by `import()`. */
  readonly totalMinified: number;
  readonly totalGzipped: number;
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
    const chunks = output.filter((chunk) => "code" in chunk);
    const [minified, gzipped] = bytesOf(chunks.filter(isAtStart(chunks)));
    const [totalMinified, totalGzipped] = bytesOf(chunks);
    return { minified, gzipped, totalMinified, totalGzipped };
  } finally {
    await bundle.close();
  }
}

interface Chunk {
  readonly fileName: string;
  readonly code: string;
  readonly isEntry: boolean;
  /** The chunks that have to be there before this one runs. */
  readonly imports: readonly string[];
}

/** True for what is loaded before the entry runs. */
function isAtStart(chunks: readonly Chunk[]): (chunk: Chunk) => boolean {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const found = new Set<Chunk>();
  const visit = (chunk: Chunk | undefined): void => {
    if (chunk !== undefined && !found.has(chunk)) {
      found.add(chunk);
      chunk.imports.forEach((name) => visit(byName.get(name)));
    }
  };
  chunks.filter(({ isEntry }) => isEntry).forEach(visit);
  return (chunk) => found.has(chunk);
}

function bytesOf(chunks: readonly Chunk[]): [minified: number, gzipped: number] {
  const text = chunks.map(({ code }) => code).join("");
  return [Buffer.byteLength(text), gzipSync(text, { level: 9 }).length];
}
