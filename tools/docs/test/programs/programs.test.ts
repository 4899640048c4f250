import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { expect, test } from "vitest";

import { codeBlocks, executable, pages, pathOf } from "../../src/markdown.ts";
import { assembled } from "./assemble.ts";
import { elsewhere } from "./elsewhere.ts";
import { ofFrameworks } from "./of-frameworks.ts";
import { ofPackages } from "./of-packages.ts";
import { ofSdk } from "./of-sdk.ts";

/** Regions of code, each alone: `path#a+b` is two. */
const each = (source: string): readonly string[] => {
  const [file = "", names] = source.split("#");
  return names === undefined ? [file] : names.split("+").map((name) => `${file}#${name}`);
};

test("every block of code in the documentation is in a program, or in the list of those that are none", () => {
  const inPages = pages().flatMap((page) =>
    codeBlocks(readFileSync(page, "utf8"))
      .filter(({ language }) => executable.has(language))
      .flatMap(({ source, runBy }) => each(source ?? runBy ?? pathOf(page))),
  );
  const inPrograms = [...ofFrameworks, ...ofPackages, ...ofSdk]
    .flatMap(({ parts, beside = {} }) => [...parts, ...Object.values(beside).flat()])
    .filter((part) => typeof part === "string")
    .flatMap(each);
  const listed = Object.values(elsewhere).flat();
  expect([...new Set(inPages)].filter((part) => !inPrograms.includes(part)).sort()).toEqual(
    listed.toSorted(),
  );
});

/** What `@tenon/sdk` uses itself. */
const ofTheSdk: ReadonlySet<string> = new Set(
  ["jsonrpc2", "jsonschema", "protocol", "transports-sse", "transports-stdio", "uri-template"].map(
    (name) => `packages/${name}`,
  ),
);

test.each([
  ["frameworks.test.ts", ofFrameworks],
  ["packages.test.ts", ofPackages],
  ["sdk.test.ts", ofSdk],
])("a change of a package that a program imports makes %s due", async (file, programs) => {
  const scripts = pathToFileURL(join(import.meta.dirname, "../../../run/inputs.mjs")).href;
  const { inputs } = (await import(scripts)) as { readonly inputs: Record<string, { uses?: string[] }> };
  const uses = inputs[`tools/docs/test/programs/${file}`]?.uses ?? [];
  const texts = programs.flatMap(({ parts, beside = {} }) =>
    [parts, ...Object.values(beside)].map((some) => assembled(some)),
  );
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/"@tenon\/([\w-]+)/g)].map(([, name]) => `packages/${name}`),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((name) => !ofTheSdk.has(name) && !uses.includes(name))).toEqual([]);
});
