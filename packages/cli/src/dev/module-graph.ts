import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The files of a program, and those that would belong to it if they existed. */
export interface ModuleGraph {
  /** Absolute paths. */
  readonly files: ReadonlySet<string>;
}

/** Further modules are not watched. */
const maxFiles = 5_000;
/** Longer files are generated: their imports are not followed. */
const maxLength = 2_000_000;

const specifiers =
  /\b(?:from|import|require)\s*\(?\s*(["'])((?:\\.|(?!\1)[^\\\n])+)\1|\bnew URL\(\s*(["'])(\.[^"'\n]+)\3\s*,\s*import\.meta\.url/g;

/** Extensions of sources by the extensions of their compiled files. */
const written: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
};
const omitted = [".ts", ".mts", ".tsx", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];

/**
 * The modules that a program imports, directly or not, by relative paths, by its `imports` map or
 * from packages of a workspace, and what configures it: `.env`, `package.json`, `tsconfig.json`.
 * Packages in `node_modules` are left out. The files are read, not run, so a syntax error does not
 * matter.
 */
export function moduleGraphOf(entry: string): ModuleGraph {
  const files = new Set<string>([entry]);
  const absent = new Set<string>();
  for (const file of files) {
    for (const specifier of specifiersIn(file)) {
      const { found, candidates } = locate(file, specifier);
      if (found !== undefined && files.size < maxFiles) {
        files.add(found);
      } else if (found === undefined && absent.size < maxFiles) {
        // A module that is written later repairs the program.
        candidates.forEach((path) => absent.add(path));
      }
    }
  }
  const folder = dirname(entry);
  const settings = [".env", "package.json", "tsconfig.json"].map((name) => join(folder, name));
  return { files: new Set([...files, ...absent, ...settings]) };
}

function specifiersIn(file: string): readonly string[] {
  if (!/\.[cm]?[jt]sx?$/.test(file)) {
    return [];
  }
  try {
    const text = readFileSync(file, "utf8");
    return text.length > maxLength
      ? []
      : [...text.matchAll(specifiers)].map(([, , imported, , located]) => imported ?? located ?? "");
  } catch {
    return [];
  }
}

interface Located {
  readonly found?: string | undefined;
  readonly candidates: readonly string[];
}

function locate(file: string, specifier: string): Located {
  if (specifier.startsWith("node:")) {
    return { candidates: [] };
  }
  if (!/^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier)) {
    return locatePackage(file, specifier);
  }
  let path: string;
  try {
    path = specifier.startsWith("file:") ? fileURLToPath(specifier) : resolve(dirname(file), specifier);
  } catch {
    return { candidates: [] };
  }
  path = path.replace(/[?#].*$/, "");
  const extension = /\.[cm]?jsx?$/.exec(path)?.[0] ?? "";
  const instead = (written[extension] ?? []).map((other) => path.slice(0, -extension.length) + other);
  const candidates = [path, ...instead, ...omitted.map((other) => path + other)];
  return { found: candidates.find((candidate) => isFile(candidate)), candidates };
}

/** A package of a workspace is a link out of `node_modules`; all others do not change. */
function locatePackage(file: string, specifier: string): Located {
  try {
    const found = createRequire(file).resolve(specifier);
    return isFile(found) && !/[\\/]node_modules[\\/]/.test(found)
      ? { found, candidates: [] }
      : { candidates: [] };
  } catch {
    return { candidates: [] };
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A string in a program may look like an import, and be too long for a path.
    return false;
  }
}
