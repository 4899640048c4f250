import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { installPacks } from "@tenon/test-support/packs";

const packages = resolve(import.meta.dirname, "../../../../../packages");
const peers = resolve(import.meta.dirname, "../../../node_modules");

/** A project in which the packages are installed as users get them. */
export interface Packed extends Disposable {
  readonly folder: string;
  /** The names of the packages, with the entries that their manifests export. */
  readonly entries: readonly PackedEntry[];
}

/** One entry of a package. */
export interface PackedEntry {
  /** As it is imported: `@tenon/sdk/stdio`. */
  readonly specifier: string;
  /** Whether it needs Node. */
  readonly isForNode: boolean;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, object>>;
}

/**
 * Packs every package and unpacks it in a new project, below the folder for temporary files. What
 * they depend on from elsewhere is linked, including the peers that they require.
 *
 * @throws If a package has not been built.
 */
export async function packPackages(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-packed-"));
  const modules = join(folder, "node_modules");
  const names = readdirSync(packages);
  const manifests = names.map(
    (name) => JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as Manifest,
  );
  await installPacks(
    names.map((name) => `packages/${name}`),
    modules,
  );
  for (const [index, manifest] of manifests.entries()) {
    const { dependencies, peerDependencies, peerDependenciesMeta: optional = {} } = manifest;
    const own = join(packages, names[index] ?? "", "node_modules");
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      if (!name.startsWith("@tenon/") && !Object.hasOwn(optional, name)) {
        link(join(own, name), join(modules, name));
      }
    }
  }
  for (const name of readdirSync(peers).filter((peer) => peer !== "@tenon" && !peer.startsWith("."))) {
    link(join(peers, name), join(modules, name));
  }
  return {
    folder,
    entries: manifests.flatMap(entriesOf),
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function link(target: string, path: string): void {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  }
}

/** Packages and entries that import the modules of Node. */
const nodeOnly =
  /^@tenon\/(?:node|express|fastify|transports-stdio)(?:\/|$)|\/(?:stdio|node|file-resources|vite)$/;

function entriesOf({ name, exports }: Manifest): readonly PackedEntry[] {
  return Object.keys(exports)
    .filter((path) => path !== "./package.json" && !path.includes("*"))
    .map((path) => {
      const specifier = name + path.slice(1);
      return { specifier, isForNode: nodeOnly.test(specifier) };
    });
}
