import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, expect, test } from "vitest";

import { publicApi, type Documented } from "../src/exports.ts";

const root = join(import.meta.dirname, "../../..");
const place = ({ name, at }: Documented): string => `${name} at ${at}`;

let api: readonly Documented[] = [];

beforeAll(() => {
  api = publicApi();
}, 180_000);

test("every export of every package says what it is", () => {
  const exported = api.filter(({ kind }) => kind === "export");
  expect(exported.length).toBeGreaterThan(400);
  expect(exported.filter(({ text }) => text === "").map(place)).toEqual([]);
});

test("every public method and every option says what it does", () => {
  // Their members mean what they mean where they come from.
  const foreign = api
    .filter(({ text }) => text.startsWith("What is needed of"))
    .map(({ name }) => `${name}.`);
  const members = api.filter(
    ({ kind, name }) =>
      (kind === "method" || kind === "option") && !foreign.some((owner) => name.startsWith(owner)),
  );
  expect(members.length).toBeGreaterThan(400);
  expect(members.filter(({ text }) => text === "").map(place)).toEqual([]);
});

test("what a comment links to is something that its reader can import, or a member of it", () => {
  const names = new Set(api.flatMap(({ name }) => [name, name.slice(name.indexOf(".") + 1)]));
  const lost = api.flatMap((each) =>
    each.links.filter((link) => !names.has(link)).map((link) => `${link}, from ${place(each)}`),
  );
  expect(lost).toEqual([]);
});

test("requirement ids stand at the end of a comment, under @source", () => {
  const misplaced = sources().flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/\/\*\*[\s\S]*?\*\//g)]
      .map(([comment]) => comment)
      .filter((comment) => /\b[SRTO]-\d{3}\b|\b[TO]-\d{2}\b/.test(comment.replace(/@source\s[^@]*$/, "")))
      .map((comment) => `${file}: ${comment}`),
  );
  expect(misplaced).toEqual([]);
});

function sources(): readonly string[] {
  return ["packages", "examples"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name, "src")))
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts") && !path.startsWith("gen"))
        .map((path) => join(folder, path)),
    );
}
