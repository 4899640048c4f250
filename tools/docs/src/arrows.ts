import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/**
 * The folders of `packages/mcp/src`, from the bottom to the top. The folder `node` and the file
 * `index.ts` are entries too.
 */
export const folders = ["base", "revisions", "request", "feature", "session", "assemble", "entry"] as const;

/** One import of a package's own file. Both paths are relative to the package's `src`. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  /**
   * `type`: nothing is imported at run time. `later`: the file is loaded when it is first needed.
   */
  readonly kind: "now" | "type" | "later";
}

const statement = /^(?:import|export)\b(\s+type\b)?([^;"]*?)\bfrom\s*"(\.[^"]+)"/gm;
const expression = /(?<!\/\/.*|\*.*)(typeof\s+)?\bimport\(\s*"(\.[^"]+)"\s*\)/g;
const sideEffect = /^import\s*"(\.[^"]+)"/gm;

/**
 * Returns every import between the files of a package: statements, exports from files, `import(…)`
 * in code and in types.
 */
export function arrowsIn(src: string): readonly Arrow[] {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"));
  return files.flatMap((from) => {
    const text = readFileSync(join(src, from), "utf8");
    const arrow = (specifier: string, kind: Arrow["kind"]): Arrow => ({
      from,
      to: posix.join(dirname(from).replaceAll("\\", "/"), specifier),
      kind,
    });
    return [
      ...[...text.matchAll(statement)].map(([, type, names = "", to = ""]) =>
        arrow(to, type !== undefined || onlyTypes(names) ? "type" : "now"),
      ),
      ...[...text.matchAll(sideEffect)].map(([, to = ""]) => arrow(to, "now")),
      ...[...text.matchAll(expression)].map(([, type, to = ""]) =>
        arrow(to, type === undefined ? "later" : "type"),
      ),
    ];
  });
}

function onlyTypes(names: string): boolean {
  const inner = /^\s*\{([\s\S]*)\}\s*$/.exec(names)?.[1];
  return inner !== undefined && inner.split(",").every((name) => /^\s*(?:type\s|$)/.test(name));
}

/**
 * The place of a file of `packages/mcp/src` among {@link folders}; -1 for a file in none of them.
 */
export function floorOf(path: string): number {
  const [folder = ""] = path.split("/");
  return folder === "index.ts" || folder === "node"
    ? folders.indexOf("entry")
    : folders.indexOf(folder as (typeof folders)[number]);
}
