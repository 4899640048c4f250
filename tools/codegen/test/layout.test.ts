import { expect, test } from "vitest";

import { layOut } from "../src/layout.ts";

test("members are indented and ended, declarations parted by a blank line", () => {
  const text =
    "export interface A {\n/** One. */\na: {\nb?: string\n}\n\nc: {\n}\n}\nexport type B = (A | string)\n";
  expect(layOut(text)).toBe(
    "export interface A {\n  /** One. */\n  a: {\n    b?: string;\n  };\n  c: {};\n}\n\nexport type B = A | string;\n",
  );
});

test("a long union has one alternative per line, nested parentheses stay whole", () => {
  const long = "Alternative".repeat(6);
  expect(layOut(`export type A = (${long} | (B | C)[] | ${long})`)).toBe(
    `export type A =\n  | ${long}\n  | (B | C)[]\n  | ${long};\n`,
  );
});

test("text in comments is left alone", () => {
  expect(layOut("/**\n * A: (B | C)\n * {\n */\nexport type A = B\n")).toBe(
    "/**\n * A: (B | C)\n * {\n */\nexport type A = B;\n",
  );
});
