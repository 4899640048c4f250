import { readFileSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { Application, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";

import { root } from "./place.ts";

/** An entry of a package, as its manifest exports it. */
interface Entry {
  /** As programs import it: `@tenon/mcp/client`. */
  readonly specifier: string;
  /** Its source, from the root of the repository. */
  readonly source: string;
}

/** Entries that only tools or the package itself load. */
const internal = /^@tenon\/(?:base|official-v1)(?:\/|$)|\/validators$/;

/** The entries of all packages that programs import. */
export function entries(): readonly Entry[] {
  return readdirSync(join(root, "packages"))
    .toSorted()
    .flatMap((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as {
        readonly name: string;
        readonly exports?: Readonly<Record<string, string | { readonly "@tenon/source"?: string }>>;
      };
      return Object.entries(manifest.exports ?? {}).flatMap(([path, target]) => {
        const source = typeof target === "string" ? undefined : target["@tenon/source"];
        const specifier = manifest.name + path.slice(1);
        return source === undefined || internal.test(specifier)
          ? []
          : expanded({ specifier, source: join("packages", folder, source) });
      });
    });
}

/** The entries of a pattern, such as that of the protocol's revisions, whose `*` is in a folder. */
function expanded({ specifier, source }: Entry): readonly Entry[] {
  const [before = "", after] = source.split("*");
  if (after === undefined) {
    return [{ specifier, source }];
  }
  const [folder, start] = [dirname(before), basename(before)];
  return readdirSync(join(root, folder))
    .filter((name) => name.startsWith(start))
    .toSorted()
    .map((name) => name.slice(start.length))
    .map((part) => ({ specifier: specifier.replace("*", part), source: source.replace("*", part) }));
}

/**
 * Writes a page for each entry, by typedoc from the comments of the sources.
 *
 * @param out - The folder of the pages.
 */
export async function writeApi(out: string, chosen: readonly Entry[] = entries()): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const options: TypeDocOptions & PluginOptions = {
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: chosen.map(({ source }) => join(root, source)),
    tsconfig: join(root, "tools/site/tsconfig.api.json"),
    // The sources are checked by the version of the compiler that the repository uses.
    skipErrorChecking: true,
    out,
    readme: "none",
    router: "module",
    entryFileName: "index",
    hidePageHeader: true,
    hideBreadcrumbs: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    githubPages: false,
    sourceLinkTemplate: "https://github.com/tenon-mcp/tenon/blob/main/{path}#L{line}",
    gitRevision: "main",
    blockTags: [
      "@param",
      "@returns",
      "@throws",
      "@source",
      "@example",
      "@typeParam",
      "@deprecated",
      "@packageDocumentation",
      "@template",
      "@see",
    ],
    logLevel: "Error",
  };
  const app = await Application.bootstrapWithPlugins(options);
  const project = await app.convert();
  if (project === undefined) {
    throw new Error("typedoc could not read the entries: its messages are above.");
  }
  const names = new Map(chosen.map(({ source, specifier }) => [join(root, source), specifier]));
  for (const module of project.children ?? []) {
    module.name = names.get(module.sources?.[0]?.fullFileName ?? "") ?? module.name;
  }
  await app.generateOutputs(project);
}
