import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { rolldown } from "rolldown";

/** What is bundled. */
export interface Bundled {
  /** The source of the module to bundle. */
  readonly code: string;
  /** The folder whose `node_modules` it imports from. */
  readonly folder: string;
  /** The platform that it is bundled for. */
  readonly condition: Condition;
  /** Files whose code every run loads by `import()`. It counts as loaded before the entry runs. */
  readonly always?: readonly string[] | undefined;
}

/** The platforms that packages tell apart. */
export const conditions = ["node", "browser", "workerd"] as const;

/** One of {@link conditions}. */
export type Condition = (typeof conditions)[number];

/** The size of a bundle in bytes. */
export interface Size {
  readonly minified: number;
  readonly gzipped: number;
  /** With the code that is loaded when it is first used, by `import()`. */
  readonly totalMinified: number;
  readonly totalGzipped: number;
  /** The files of which code is loaded before the entry runs, as paths. */
  readonly filesAtStart: readonly string[];
}

/** Bundles a module as users do: minified, unused code removed, `node:` modules left out. */
export type Bundler = (bundled: Bundled) => Promise<Size>;

/** The bundlers that are measured, by name. */
export const bundlers: Readonly<Record<"esbuild" | "rolldown", Bundler>> = {
  esbuild: byEsbuild,
  rolldown: byRolldown,
};

interface Chunk {
  readonly name: string;
  readonly code: string;
  readonly isEntry: boolean;
  /** The chunks that have to be there before this one runs. */
  readonly imports: readonly string[];
  /** The chunks that it may load by `import()`. */
  readonly later: readonly string[];
  readonly files: readonly string[];
}

const conditionNames = (condition: Condition): string[] => [condition, "import", "default"];

async function byEsbuild({ code, folder, condition, always }: Bundled): Promise<Size> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder, sourcefile: "entry.js" },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: condition === "workerd" ? "neutral" : condition,
    conditions: conditionNames(condition),
    mainFields: ["module", "main"],
    external: ["node:*"],
    outdir: "out",
    metafile: true,
    write: false,
    logLevel: "silent",
    // What esbuild puts in for `require` of CommonJS packages has to find the modules of Node.
    ...(condition === "node" ? { banner: { js: requireOfNode } } : {}),
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  return sizeOf(
    Object.entries(metafile.outputs).map(([path, { imports, entryPoint, inputs }]) => ({
      name: path,
      code: texts.get(join(folder, path)) ?? "",
      isEntry: entryPoint === "entry.js",
      imports: pathsOf(imports, "import-statement"),
      later: pathsOf(imports, "dynamic-import"),
      files: Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    })),
    always,
  );
}

const pathsOf = (imports: readonly { path: string; kind: string }[], kind: string): readonly string[] =>
  imports.filter((imported) => imported.kind === kind).map(({ path }) => path);

const requireOfNode = 'import{createRequire as r}from"node:module";const require=r(import.meta.url);';

async function byRolldown({ code, folder, condition, always }: Bundled): Promise<Size> {
  const main = join(folder, "entry.js");
  const bundle = await rolldown({
    input: main,
    external: /^node:/,
    platform: condition === "node" ? "node" : "browser",
    resolve: { conditionNames: conditionNames(condition) },
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
    return sizeOf(
      output.flatMap((chunk) =>
        chunk.type === "chunk"
          ? [
              {
                name: chunk.fileName,
                code: chunk.code,
                isEntry: chunk.isEntry,
                imports: chunk.imports,
                later: chunk.dynamicImports,
                files: Object.entries(chunk.modules).flatMap(([file, { renderedLength }]) =>
                  renderedLength > 0 ? [file] : [],
                ),
              },
            ]
          : [],
      ),
      always,
    );
  } finally {
    await bundle.close();
  }
}

function sizeOf(chunks: readonly Chunk[], always: readonly string[] = []): Size {
  const isAlways = ({ files }: Chunk): boolean =>
    files.some((file) => always.some((name) => file.endsWith(name)));
  const names = chunks.filter(isAlways).map(({ name }) => name);
  if (names.length < always.length) {
    throw new Error(`Expected the bundle to load ${always.join(", ")} later`);
  }
  const start = reached(chunks, ({ imports, isEntry }) => (isEntry ? [...imports, ...names] : imports));
  const [minified, gzipped] = bytesOf(start);
  // Bundlers also write chunks for `import()` in code that they have removed.
  const [totalMinified, totalGzipped] = bytesOf(
    reached(chunks, ({ imports, later }) => [...imports, ...later]),
  );
  return {
    minified,
    gzipped,
    totalMinified,
    totalGzipped,
    filesAtStart: start.flatMap(({ files }) => files),
  };
}

/** The entry, and the chunks to which `next` leads from there. */
function reached(chunks: readonly Chunk[], next: (chunk: Chunk) => readonly string[]): readonly Chunk[] {
  const byName = new Map(chunks.map((chunk) => [chunk.name, chunk]));
  const found = new Set<Chunk>();
  const visit = (chunk: Chunk | undefined): void => {
    if (chunk !== undefined && !found.has(chunk)) {
      found.add(chunk);
      next(chunk).forEach((name) => visit(byName.get(name)));
    }
  };
  chunks.filter(({ isEntry }) => isEntry).forEach(visit);
  return [...found];
}

function bytesOf(chunks: readonly Chunk[]): [minified: number, gzipped: number] {
  const text = chunks.map(({ code }) => code).join("");
  return [Buffer.byteLength(text), gzipSync(text, { level: 9 }).length];
}
