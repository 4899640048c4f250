import { expect, test } from "vitest";

import { parse } from "../src/index.ts";

const limits = { uriLength: 1_000_000 };

test("overlapping reserved variables are refused or matched without backtracking (official-ts-sdk §3.5)", () => {
  const template = parse("{+a}/{+b}/{+c}/{+d}!", { limits });
  for (const length of [300, 100_000]) {
    expect(template.match("/".repeat(length))).toBeUndefined();
    expect(template.match("a/".repeat(length))).toBeUndefined();
    expect(template.match(`${"a/".repeat(length)}!x`)).toBeUndefined();
    expect(template.match(`${"a/".repeat(length)}d!`)).toMatchObject({ b: "a", c: "a", d: "d" });
  }
});

test("two reserved variables around a repeated literal are matched in one table (T-020)", () => {
  const template = parse("repo://{+path}/blob/{+file}.md", { limits });
  for (const count of [2000, 64_000]) {
    const blobs = "/blob/".repeat(count);
    expect(template.match(`repo:/${blobs}`)).toBeUndefined();
    expect(template.match(`repo://${blobs}`)).toBeUndefined();
    expect(template.match(`repo://x${blobs}y.md`)).toEqual({
      path: `x${"/blob/".repeat(count - 1)}`,
      file: "y",
    });
    expect(template.match(`repo://x${blobs}.md`)).toEqual({
      path: `x${"/blob/".repeat(count - 2)}/blob`.slice(0, -5),
      file: "/blob/",
    });
  }
});

test("exploded lists are matched without backtracking (CVE-2026-0621)", () => {
  const long = "a,".repeat(50_000);
  expect(parse("x{/list*}y", { limits }).match(`x/${long}`)).toBeUndefined();
  expect(parse("x{/list*}", { limits }).match(`x${"/a".repeat(50_000)}`)?.list).toHaveLength(50_000);
  expect(parse("{list*}!", { limits }).match(long)).toBeUndefined();
  expect(parse("x{?list*}", { limits }).match(`x?${"list=1&".repeat(50_000)}`)?.list).toHaveLength(50_000);
  expect(parse("x{?q}", { limits }).match(`x?${"&".repeat(100_000)}`)).toEqual({});
});

test("many adjacent variables are matched without backtracking", () => {
  const names = Array.from({ length: 64 }, (_, index) => `v${index}`);
  const template = parse(names.map((name) => `{${name}}`).join("") + "!");
  expect(template.match("a".repeat(16_000))).toBeUndefined();
  expect(Object.keys(template.match(`${"a".repeat(16_000)}!`) ?? {})).toEqual(names);
});

test("long templates, literals and broken encodings end", () => {
  expect(() => parse("{".repeat(4096))).toThrow(/Expected "}"/);
  expect(() => parse(`{${"a.".repeat(2000)}}`)).toThrow(/Expected a variable/);
  expect(() => parse(`{${"a,".repeat(2000)}}`)).toThrow();
  const template = parse(`{+a}${"x".repeat(4000)}{+b}`);
  expect(template.match("x".repeat(16_000))).toBeDefined();
  expect(template.match(`${"x".repeat(3999)}y`.repeat(4))).toBeUndefined();
  expect(parse("/{a}").match(`/${"%".repeat(16_000)}`)).toBeUndefined();
  expect(parse("/{a}").match(`/${"%c3".repeat(5000)}`)).toBeUndefined();
});
