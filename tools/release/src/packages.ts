import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The root of this repository. */
export const root: string = join(import.meta.dirname, "../../..");

/** What `exports` of a manifest has for a path. */
export type Target = string | null | { readonly [condition: string]: Target };

/** What a release reads of `package.json`. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly bugs?: string;
  readonly license?: string;
  readonly repository?: { readonly type?: string; readonly url?: string; readonly directory?: string };
  readonly files?: readonly string[];
  readonly type?: string;
  readonly sideEffects?: boolean | readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Target>>;
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly engines?: { readonly node?: string };
  readonly funding?: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A package that a release publishes. */
export interface Published {
  /** Below the root: `packages/mcp`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Every package that a release publishes, by folder. */
export function publishedPackages(from: string = root): readonly Published[] {
  return ["packages", "tools", "examples"]
    .flatMap((group) => readdirSync(join(from, group)).map((name) => `${group}/${name}`))
    .filter((folder) => existsSync(join(from, folder, "package.json")))
    .map((folder) => ({ folder, manifest: readManifest(join(from, folder)) }))
    .filter(({ manifest }) => manifest.private !== true)
    .toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** The manifest of a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
