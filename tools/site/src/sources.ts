import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A Markdown file of the repository that is a page of the site. */
export interface Source {
  /** The path of the file from the root of the repository. */
  readonly path: string;
  /** The path of the page on the site, without `/` at its beginning and without an extension. */
  readonly route: string;
  /** The first heading of the file. */
  readonly title: string;
}

/** Files at the root of the repository that are pages. */
const ofRoot = ["CODE_OF_CONDUCT", "CONTRIBUTING", "DEPENDENCIES", "ROADMAP", "SECURITY", "VERSIONING"];
/** Half a megabyte of rows that only contributors look up: it stays in the repository. */
const ofContributors = "requirements.md";
const ofTools = ["bench", "conformance", "interop", "requirements"];

/**
 * The pages that come from the repository: `docs`, and the README of each package, of each example
 * and of the tools whose results readers look for.
 *
 * @param root - The root of the repository.
 */
export function sources(root: string): readonly Source[] {
  const routes = [
    ...namesIn(join(root, "docs"))
      .filter((name) => name.endsWith(".md") && name !== ofContributors)
      .map((name) => [`docs/${name}`, `guide/${name === "README.md" ? "index" : name.slice(0, -3)}`]),
    ...namesIn(join(root, "packages")).map((name) => [`packages/${name}/README.md`, `packages/${name}`]),
    ...namesIn(join(root, "examples")).map((name) => [`examples/${name}/README.md`, `examples/${name}`]),
    ...ofTools.map((name) => [`tools/${name}/README.md`, `project/${name}`]),
    ...ofRoot.map((name) => [`${name}.md`, `project/${name.toLowerCase().replaceAll("_", "-")}`]),
  ] as const;
  return routes.flatMap(([path = "", route = ""]) => {
    const file = join(root, path);
    if (!existsSync(file)) {
      return [];
    }
    const title = /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? route;
    return [{ path, route, title: title.replaceAll("`", "") }];
  });
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).toSorted();
}
