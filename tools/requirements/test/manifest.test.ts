import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { done, waitingFor } from "../src/entry.ts";
import { ids } from "../src/ids.ts";
import { readManifest } from "../src/manifest.ts";
import { root } from "../src/paths.ts";
import { findProofs, idsIn } from "../src/proofs.ts";

const sections = readManifest();
const entries = sections.flatMap((section) => section.entries);
const proofs = findProofs();

const revision = String.raw`\d{4}-\d{2}-\d{2}`;
const revisions = new RegExp(
  String.raw`^(all|legacy|extension|${revision}|${revision}\+|${revision}…${revision})$`,
);

test("no requirement is missing, none is listed twice, and they are in order", () => {
  expect(entries.map(({ id }) => id)).toEqual(ids);
});

test("each requirement says in which revisions it holds", () => {
  expect(entries.filter((entry) => !revisions.test(entry.revisions))).toEqual([]);
});

test("each requirement has tests, or says what it waits for, or why it does not apply: one of them", () => {
  const wrong = entries.filter(
    ({ tests, waits, notApplicable }) =>
      [tests, waits, notApplicable].filter((state) => state !== undefined).length !== 1 ||
      tests?.length === 0 ||
      (waits !== undefined && !waitingFor.includes(waits)) ||
      (notApplicable !== undefined && notApplicable.length < 20),
  );
  expect(wrong).toEqual([]);
});

test("each test file that is named exists and mentions the requirement", () => {
  const mentioned = new Map<string, ReadonlySet<string>>();
  const wrong = entries.flatMap(({ id, tests = [] }) =>
    tests
      .filter((file) => {
        const path = join(root, file);
        if (!mentioned.has(file)) {
          mentioned.set(file, existsSync(path) ? idsIn(readFileSync(path, "utf8")) : new Set());
        }
        return mentioned.get(file)?.has(id) !== true;
      })
      .map((file) => `${id}: ${file}`),
  );
  expect(wrong).toEqual([]);
});

test("nothing that has a test is marked as waiting (else: pnpm --filter @tenon/requirements scan)", () => {
  const tested = entries.filter(({ id, waits }) => waits !== undefined && proofs.has(id));
  expect(tested.map(({ id }) => id)).toEqual([]);
});

test("nothing waits for a part of the work that is done", () => {
  const late = entries.filter(({ waits }) => waits !== undefined && done.includes(waits));
  expect(late.map(({ id }) => id)).toEqual([]);
});

test("tests mention no requirement that does not exist", () => {
  const known = new Set(ids);
  expect([...proofs].filter(([id]) => !known.has(id))).toEqual([]);
});

const shared = process.env["TENON_SHARED"] ?? join(root, "../shared");
const lists = ["seed-features.md", "spec-checklist.md"].map((name) => join(shared, "reference", name));

test.skipIf(!lists.every(existsSync))(
  "the ids are those of the reference lists (skipped where TENON_SHARED has no reference)",
  () => {
    const headings = lists.flatMap((list) =>
      [...readFileSync(list, "utf8").matchAll(/^(?:\*\*|- )([SR]-\d{3})\b/gm)].map(([, id]) => id),
    );
    expect(headings).toHaveLength(ids.length);
    expect(new Set(headings)).toEqual(new Set(ids));
  },
);

test("ranges and single ids are found in text", () => {
  expect([...idsIn("R-565…R-568, S-001 and T-80, R-410...412, R-1000")]).toEqual([
    "R-565",
    "R-566",
    "R-567",
    "R-568",
    "S-001",
    "R-410",
    "R-411",
    "R-412",
  ]);
});
