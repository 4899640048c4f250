import { expect, test } from "vitest";

import { idsIn } from "../src/proofs.ts";
import { titlesIn } from "../src/titles.ts";

test("single ids are found in a title, and of a range only its ends", () => {
  expect([
    ...idsIn("R-565…R-568, S-001 and T-80, T-050b, A-007, R-410...412, R-1000, SHA-256, E-001, A-0007"),
  ]).toEqual(["R-565", "R-568", "S-001", "T-80", "T-050b", "A-007", "R-410", "E-001"]);
});

test("titles of tests, groups and rows count, and comments and other strings do not", () => {
  const source = `
    // R-100
    describe("a group (R-101)", () => {
      test("one (R-102)", () => expect("R-103").toBe(1));
      test.each(cases)("two of %s (R-104)", () => {});
      test.each([["R-105: a row", { x: "R-106" }]])("%s", () => {});
      test.skipIf(!here)(\`three of \${name} (R-107)\`, () => {});
    });
  `;
  expect(titlesIn(source).flatMap((title) => [...idsIn(title)])).toEqual([
    "R-101",
    "R-102",
    "R-104",
    "R-105",
    "R-106",
    "R-107",
  ]);
});
