import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { pages, pathOf, synchronised } from "../src/markdown.ts";

const root = join(import.meta.dirname, "../../..");
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** The first groups of all matches in a file. */
function namesIn(path: string, pattern: RegExp): readonly string[] {
  return [...textOf(path).matchAll(pattern)].map(([, name = ""]) => name);
}

/** The sources of a folder. */
const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);

/** The packages whose names begin like this. */
const packagesLike = (start: string): readonly string[] =>
  readdirSync(join(root, "packages")).filter(
    (name) => name.startsWith(start) && existsSync(join(root, "packages", name, "package.json")),
  );

/** A handwritten list and the names that it must contain. */
interface List {
  readonly of: string;
  /** Where the names come from. */
  readonly names: readonly string[];
  /** The files with the list, and the form of a name in it. */
  readonly in: Readonly<Record<string, (name: string) => string | RegExp>>;
}

const asWord = (name: string): RegExp => new RegExp(`\\b${name}\\b`);
const asCode = (name: string): string => `\`${name}`;
const asColumn = (revision: string): RegExp => new RegExp(`^\\| \\|.* ${revision} \\|`, "m");

/** The notifications that a list has changed, by their methods. */
const listChanges = Object.entries(
  JSON.parse(textOf("schema/methods.json")) as Readonly<Record<string, { change?: string; hook?: string }>>,
).filter(([, { change }]) => change === "list");

const lists: readonly List[] = [
  {
    of: "commands of tenon",
    names: [
      ...namesIn("packages/cli/src/table.ts", /^ {8}name: "([\w-]+)",$/gm),
      ...sourcesIn("packages/cli/src/table").flatMap((path) => namesIn(path, /^ {4}name: "([\w-]+)",$/gm)),
      // Only `tenon connect` runs the daemon.
    ].filter((name) => name !== "daemon"),
    in: { "docs/cli.md": (name) => new RegExp(`(?:\`|tenon )${name}\\b`) },
  },
  {
    of: "grants of OAuth",
    names: sourcesIn("packages/auth/src/client/grants").flatMap((path) =>
      namesIn(path, /^export function (\w+)\([^)]*\): Grant \{/gm),
    ),
    in: {
      "packages/auth/README.md": asCode,
      "docs/authorization.md": asCode,
      "packages/auth/src/client.ts": asWord,
    },
  },
  {
    of: "views of the inspector",
    names: namesIn("packages/inspector/src/page/view-table.ts", /^ {2}\["\w+", "([^"]+)", "."\],$/gm),
    in: { "docs/inspector.md": (title) => `\n## ${title.replace(", ", " and ")}\n` },
  },
  {
    of: "protocol versions",
    names: readdirSync(join(root, "schema")).filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name)),
    in: { "README.md": asColumn, "docs/revisions.md": asColumn },
  },
  {
    of: "packages with stores",
    names: packagesLike("store-"),
    in: { "docs/deployment.md": asWord },
  },
  {
    of: "packages with a store of logins",
    names: packagesLike("store-").filter((name) => existsSync(join(root, "packages", name, "src/auth.ts"))),
    in: { "docs/authorization.md": asWord },
  },
  {
    of: "errors of MCP",
    names: namesIn("packages/mcp/src/entry/errors.ts", /^ {2}(?:type )?(\w+),$/gm),
    in: { "packages/mcp/src/entry/shared.ts": asWord },
  },
  {
    of: "hooks of changes",
    names: namesIn("schema/methods.json", /"hook": "(\w+)"/g),
    in: {
      "packages/host/src/manager/handlers.ts": asWord,
      "packages/official-v1/src/client/modern.lazy.ts": asWord,
    },
  },
  {
    of: "hooks of lists that change",
    names: listChanges.map(([, { hook = "" }]) => hook),
    in: {
      "packages/host/src/lanes/lane-setup.ts": asWord,
      "packages/cli/src/commands/watch.ts": asWord,
      "packages/inspector/src/engine/live.ts": asWord,
      "packages/react/src/server-store.ts": asWord,
    },
  },
  {
    of: "lists that change",
    names: listChanges.map(([method]) => method.split("/")[1] ?? ""),
    in: { "packages/mcp/src/assemble/server/mount.ts": (name) => `"${name}"` },
  },
  {
    of: "codes of AuthError",
    names: namesIn("packages/auth/src/shared/error.ts", /^ {2}([A-Z_]+): "/gm),
    in: { "packages/auth/README.md": asCode },
  },
  {
    of: "packages of transports",
    names: packagesLike("transports-"),
    in: { "docs/transports.md": (name) => new RegExp(`^\\|.*${name.split("-")[1] ?? name}`, "im") },
  },
  {
    of: "headers of MCP over HTTP",
    names: namesIn("packages/transports-streamable-http/src/shared/names.ts", /^ {2}\w+: "([\w-]+[^-])",$/gm),
    in: {
      "packages/inspector/src/engine/cors.lazy.ts": (name) => `"${name}"`,
      "packages/cli/src/doctor/http-checks.ts": (name) => `"${name}"`,
    },
  },
];

test.each(lists.flatMap((list) => Object.entries(list.in).map(([path, form]) => ({ ...list, path, form }))))(
  "$path names all $of",
  ({ names, path, form }) => {
    expect(names.length).toBeGreaterThan(2);
    const text = textOf(path);
    const missing = names.filter((name) => {
      const looked = form(name);
      return typeof looked === "string" ? !text.includes(looked) : !looked.test(text);
    });
    expect(missing, `add to the list in ${path}`).toEqual([]);
  },
);

test("every page is as the sources say; run `pnpm --filter @tenon/docs run sync` if one is not", () => {
  const old = pages().filter((page) => {
    const text = readFileSync(page, "utf8");
    return synchronised(page, text) !== text;
  });
  expect(old.map(pathOf)).toEqual([]);
});

test("all keys of Tenon in `_meta` and in messages have one prefix", () => {
  const others = packagesLike("").flatMap((name) => {
    const folder = `packages/${name}/src`;
    return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) => namesIn(`${folder}/${path}`, /"((?:[a-z]+\.)+tenon\/[\w-]+)"/g))
      .filter((key) => !key.startsWith("dev.tenon/"));
  });
  expect(others).toEqual([]);
});
