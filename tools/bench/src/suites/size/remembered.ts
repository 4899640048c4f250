import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { bundlers, type Bundler, type Size } from "./measure.ts";

const root = resolve(import.meta.dirname, "../../../../..");
const cache = join(root, "node_modules/.cache/tenon/sizes.json");
const measuring = join(import.meta.dirname, "measure.ts");

/** Bundlers that do not bundle again what they have bundled before on this machine. */
export interface RememberedBundlers {
  readonly bundlers: typeof bundlers;
  /** Stores the sizes that were used since the start. */
  save(): void;
}

/**
 * Remembers sizes by what they depend on: the code of the program, the platform, the files of all
 * packages that it can reach, and the lockfile, which has the versions of everything else. Forgets
 * all of them when the code that measures has changed.
 *
 * @param folder - The project in which the packages are installed.
 * @param file - Where the sizes are stored.
 * @param inner - Bundles what is not remembered.
 */
export function rememberedBundlers(folder: string, file = cache, inner = bundlers): RememberedBundlers {
  const measuredBy = createHash("sha256").update(readFileSync(measuring)).digest("base64url");
  const before = readSizes(file, measuredBy);
  const used: Record<string, Size> = {};
  const packages = packagesIn(join(folder, "node_modules/@tenon"));
  const lockfile = readFileSync(join(root, "pnpm-lock.yaml"));

  const remembered =
    (name: keyof typeof bundlers): Bundler =>
    async (bundled) => {
      const { code, condition, always = [] } = bundled;
      const hash = createHash("sha256").update(lockfile);
      for (const part of [name, code, condition, ...always]) {
        hash.update(part).update("\0");
      }
      for (const each of reach(code, packages)) {
        hash.update(packages.get(each)?.digest ?? each).update("\0");
      }
      const key = hash.digest("base64url");
      const size = before[key] ?? (await inner[name](bundled));
      used[key] = size;
      return size;
    };

  return {
    bundlers: { esbuild: remembered("esbuild"), rolldown: remembered("rolldown") },
    save() {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ measuredBy, sizes: used } satisfies Stored));
    },
  };
}

interface Stored {
  /** The digest of the code that measures. */
  readonly measuredBy: string;
  readonly sizes: Readonly<Record<string, Size>>;
}

function readSizes(file: string, by: string): Stored["sizes"] {
  try {
    const { measuredBy, sizes } = JSON.parse(readFileSync(file, "utf8")) as Stored;
    return measuredBy === by ? sizes : {};
  } catch {
    // Nothing has been measured yet.
    return {};
  }
}

interface InstalledPackage {
  /** Of the paths and the contents of its files. */
  readonly digest: string;
  /** The packages of this workspace that it may import. */
  readonly imports: readonly string[];
}

function packagesIn(folder: string): ReadonlyMap<string, InstalledPackage> {
  return new Map(
    readdirSync(folder).map((directory) => {
      const own = join(folder, directory);
      const hash = createHash("sha256");
      const entries = readdirSync(own, { recursive: true, withFileTypes: true });
      const files = entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name));
      for (const path of files.toSorted()) {
        hash.update(path.slice(own.length)).update("\0").update(readFileSync(path)).update("\0");
      }
      const manifest = readFileSync(join(own, "package.json"), "utf8");
      return [`@tenon/${directory}`, { digest: hash.digest("base64url"), imports: namesIn(manifest) }];
    }),
  );
}

const namesIn = (text: string): readonly string[] => text.match(/@tenon\/[\w-]+/g) ?? [];

/** The packages that code names, those that their manifests name, and so on. */
function reach(code: string, packages: ReadonlyMap<string, InstalledPackage>): readonly string[] {
  const reached = new Set(namesIn(code));
  for (const name of reached) {
    packages.get(name)?.imports.forEach((further) => reached.add(further));
  }
  return [...reached].toSorted();
}
