import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { done, waitingFor } from "../src/entry.ts";
import { ids } from "../src/ids.ts";
import { linkOf } from "../src/links.ts";
import { readManifest, readReferences } from "../src/manifest.ts";
import { page } from "../src/page.ts";
import { requirementsPage, root } from "../src/paths.ts";
import { findProofs } from "../src/proofs.ts";

const entries = readManifest().flatMap((section) => section.entries);
const references = readReferences();
const proofs = findProofs();
const hint = "run: pnpm --filter @tenon/requirements scan";

const revision = String.raw`\d{4}-\d{2}-\d{2}`;
const revisions = new RegExp(
  String.raw`^(all|legacy|extension|${revision}|${revision}\+|${revision}…${revision})$`,
);

test("no requirement is missing, none is listed twice, and they are in order", () => {
  expect(entries.map(({ id }) => id)).toEqual(ids);
});

test("each requirement has a sentence, a source that resolves to an address, and the versions in which it holds", () => {
  const wrong = entries.filter(
    (entry) =>
      entry.text.length < 10 ||
      entry.source.length === 0 ||
      entry.source.some((code) => linkOf(code) === undefined) ||
      !revisions.test(entry.revisions),
  );
  expect(wrong).toEqual([]);
});

test("each trap and each attack has a sentence, an id of its own, and concerns requirements that exist", () => {
  const known = new Set(ids);
  expect(references.filter(({ text }) => text.length < 10)).toEqual([]);
  expect(new Set(references.map(({ id }) => id)).size).toBe(references.length);
  expect(references.flatMap(({ about = [] }) => about).filter((id) => !known.has(id))).toEqual([]);
});

test("each requirement has tests, or waits, does not apply, or deviates with a reason: exactly one of them", () => {
  const wrong = entries.filter(
    ({ tests, waits, notApplicable, deviates }) =>
      [tests, waits, notApplicable, deviates].filter((state) => state !== undefined).length !== 1 ||
      tests?.length === 0 ||
      (waits !== undefined && !waitingFor.includes(waits)) ||
      [notApplicable, deviates].some((reason) => reason !== undefined && reason.length < 20),
  );
  expect(wrong).toEqual([]);
});

test("each test that the manifest names exists, and its title names the requirement", () => {
  const wrong = entries.flatMap(({ id, tests = [] }) =>
    tests.filter((named) => proofs.get(id)?.includes(named) !== true).map((named) => `${id}: ${named}`),
  );
  expect(wrong, hint).toEqual([]);
});

test("no requirement that has a test is marked as waiting", () => {
  const tested = entries.filter(({ id, waits }) => waits !== undefined && proofs.has(id));
  expect(
    tested.map(({ id }) => id),
    hint,
  ).toEqual([]);
});

test("no requirement waits for a part of the work that is complete", () => {
  const late = entries.filter(({ waits }) => waits !== undefined && done.includes(waits));
  expect(late.map(({ id }) => id)).toEqual([]);
});

test("titles of tests name no id that does not exist", () => {
  const known = new Set([...ids, ...references.map(({ id }) => id)]);
  expect([...proofs].filter(([id]) => !known.has(id))).toEqual([]);
});

test("docs/requirements.md is generated from the manifest", () => {
  expect(readFileSync(requirementsPage, "utf8") === page(entries, references, proofs), hint).toBe(true);
});

const shared = process.env["TENON_SHARED"] ?? join(root, "../shared");
const lists = ["seed-features.md", "spec-checklist.md"].map((name) => join(shared, "reference", name));

const attacks = join(shared, "reference", "auth.md");

test.skipIf(![...lists, attacks].every(existsSync))(
  "the ids are those of the reference lists (skipped where TENON_SHARED has no reference)",
  () => {
    const headings = lists.flatMap((list) =>
      [...readFileSync(list, "utf8").matchAll(/^(?:\*\*|- )([SR]-\d{3})\b/gm)].map(([, id]) => id),
    );
    const own = ids.filter((id) => /^[SR]/.test(id));
    expect(headings).toHaveLength(own.length);
    expect(new Set(headings)).toEqual(new Set(own));
    const battery =
      readFileSync(attacks, "utf8")
        .split(/^### /m)
        .find((part) => part.includes("A-002")) ?? "";
    const listed = new Set(battery.match(/\bA-\d{3}\b/g));
    expect(listed).toEqual(new Set(ids.filter((id) => id.startsWith("A"))));
  },
);
