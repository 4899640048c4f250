import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

import { rules, type Rule } from "./rules.ts";
import { proseOfMarkdown, proseOfProgram, type Prose } from "./text.ts";

const root: string = join(import.meta.dirname, "../../../..");

/** A line of prose that a rule objects to. */
export interface Hit {
  readonly rule: Rule;
  /** The file, from the root. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** A hit as it is listed, with the advice of its rule. */
export const lineOf = ({ rule, path, line, text }: Hit): string =>
  `${path}:${line}  ${rule.id}  ${text} (${rule.advice})`;

/** Every hit in the repository, by file. */
export function findHits(): readonly Hit[] {
  const hits = readPaths().flatMap((path) => proseOf(path).flatMap((line) => hitsOf(path, line)));
  const lengths = developerPaths().flatMap((path) =>
    proseOf(path).flatMap((line) => hitsOf(path, line).filter(({ rule }) => rule.reads === "line")),
  );
  return [...hits, ...lengths];
}

function proseOf(path: string): readonly Prose[] {
  const content = readFileSync(join(root, path), "utf8");
  if (path.endsWith(".md")) {
    return proseOfMarkdown(content);
  }
  return proseOfProgram(path, content);
}

/** The hits of one line. */
export function hitsOf(path: string, prose: Prose): readonly Hit[] {
  const isChangeset = path.startsWith(".changeset");
  return rules
    .filter(({ only }) => only === undefined || (only === "message" ? prose.isMessage : isChangeset))
    .filter(({ pattern, reads }) => pattern.test(readable(prose, reads)))
    .map((rule) => ({ rule, path, line: prose.line, text: prose.whole }));
}

function readable({ text, whole, comment }: Prose, reads: Rule["reads"]): string {
  return reads === "line" ? comment : reads === "code" ? whole : text;
}

/**
 * The part of the repository that a file belongs to: a package, an example, `docs`, `.changeset` or
 * the root.
 */
export function areaOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return path.includes("/")
    ? first === "packages" || first === "examples"
      ? `${first}/${second}`
      : first
    : ".";
}

/** The pages and sources that users read: not generated ones, tests and tools. */
function readPaths(): readonly string[] {
  const members = ["packages", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  const pages = [".", ".changeset", "docs", ...members].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md") && name !== "CHANGELOG.md")
      .map((name) => (folder === "." ? name : `${folder}/${name}`)),
  );
  const sources = members.flatMap((member) => {
    const folder = join(root, member, "src");
    return existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: "utf8" })
          .map((name) => `${member}/src/${name.split(sep).join("/")}`)
          .filter((path) => path.endsWith(".ts") && !path.includes("/gen/"))
      : [];
  });
  return [...pages, ...sources].filter(
    (path) => path !== ".changeset/README.md" && path !== "docs/requirements.md",
  );
}

/**
 * The sources and tests that only developers read. Only the length of their comments is checked.
 */
function developerPaths(): readonly string[] {
  return ["packages", "examples", "tools"]
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .flatMap((member) => [`${member}/test`, ...(member.startsWith("tools/") ? [`${member}/src`] : [])])
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
        (name) => `${folder}/${name.split(sep).join("/")}`,
      ),
    )
    .filter((path) => path.endsWith(".ts") && !path.includes("/gen/") && !path.includes("node_modules"))
    .filter((path) => /^.{101}/m.test(readFileSync(join(root, path), "utf8")));
}
