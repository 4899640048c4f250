import { samples } from "@tenon/samples";
import fc from "fast-check";
import { expect, test } from "vitest";

import {
  canonicalMessage,
  canonicalParams,
  canonicalPrefix,
  canonicalStart,
} from "../src/canonical-parts.ts";
import { canonicalUri } from "../src/core.ts";
import { isUriTemplateError, parse } from "../src/index.ts";

test.each([
  ["notes://1", "notes://1"],
  ["NOTES://Team/Secret", "notes://Team/Secret"],
  ["notes://%73ecret", "notes://secret"],
  ["notes://%54eam/%7euser/%2d%2E%5f", "notes://Team/~user/-._"],
  ["notes://a/b%2fc%5Cd%3a", "notes://a/b%2Fc%5Cd%3A"],
  ["notes://a/./b/../c/%2e%2E/d", "notes://a/d"],
  ["notes://a/..", "notes://a/"],
  ["notes://a/b/.", "notes://a/b/"],
  ["notes://a/../../b", "notes://a/b"],
  ["notes://a//b/..//c", "notes://a///c"],
  ["notes://a/...", "notes://a/..."],
  ["notes://a/.b/c..", "notes://a/.b/c.."],
  ["notes://a?x=../b#/./c", "notes://a?x=../b#/./c"],
  ["notes://caf\u00E9/\u{1F600}", "notes://caf%C3%A9/%F0%9F%98%80"],
  ["notes://a b\\c\n", "notes://a%20b%5Cc%0A"],
  ["notes://100%", "notes://100%25"],
  ["notes://%2%35", "notes://%2525"],
  ["notes://%ff%C0%ae", "notes://%FF%C0%AE"],
  ["urn:Isbn:1", "urn:Isbn:1"],
  ["x:/a/./b", "x:/a/b"],
  ["relative", "relative"],
  ["", ""],
  ["HTTPS://Example.COM", "https://example.com/"],
  ["https://example.com:443/%7e?%7e#%7E", "https://example.com/~?~#~"],
  ["http:\\\\example.com\\a", "http://example.com/a"],
  ["https:example.com/a", "https://example.com/a"],
  ["https://ex%61mple.com/a/%2e%2e/b", "https://example.com/b"],
  ["file:/a", "file:///a"],
  ["file://localhost/a/../b", "file:///b"],
  ["file:///%2e%2e/etc//passwd", "file:///etc//passwd"],
  ["file:///a%2Fb", "file:///a%2Fb"],
])("the canonical form of %j is %j", (uri, canonical) => {
  expect(canonicalUri(uri)).toBe(canonical);
  expect(canonicalUri(canonical)).toBe(canonical);
});

test.each([
  "notes://a\uD800",
  "\uDC00",
  "notes://./a",
  "notes://../a",
  "notes://%2e/a",
  "doc:a/../b",
  "doc:..",
  "../a",
  "x:/..//b",
  "http://",
  "https://a b/",
  "https://[::1/",
])("%j has no canonical form", (uri) => {
  expect(() => canonicalUri(uri)).toThrow("has no canonical form");
  expect(canonicalMessage({ method: "resources/read", params: { uri } })).toEqual({
    method: "resources/read",
    params: { uri },
  });
});

/** Text in which what matters is frequent. */
const pieces = fc.constantFrom(
  ..."/ // . .. ./ ../ % %2 %2e %2E %2f %2F %5c %61 %41 %7E %C3%A9 %ff a B ~ : ? # @ [ ] { } \\ \u00E9 \u0000".split(
    " ",
  ),
  " ",
  "file:",
  "file:///",
  "https://",
  "HTTP:",
  "x://",
  "X:",
  "localhost",
  "example.com",
  ":80",
  "\uD83D\uDE00",
);
const uris = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(""));

function canonicalOf(uri: string): string | undefined {
  try {
    return canonicalUri(uri);
  } catch (error) {
    expect(isUriTemplateError(error)).toBe(true);
    return undefined;
  }
}

test("a canonical form is its own canonical form, has no dot segment and only characters of URIs", () => {
  fc.assert(
    fc.property(uris, (uri) => {
      const canonical = canonicalOf(uri);
      if (canonical === undefined) {
        return;
      }
      expect(canonicalOf(canonical)).toBe(canonical);
      expect(canonical).toMatch(/^(?:[!#-$&-;=?-Z[\]_a-z~]|%[0-9A-F]{2})*$/);
      expect(canonical.replace(/[?#][^]*$/, "")).not.toMatch(/\/\.\.?(?:\/|$)/);
    }),
    { numRuns: samples(5000) },
  );
});

test("encoding an unreserved character changes nothing, encoding a reserved one does", () => {
  for (let code = 0x21; code < 0x7f; code++) {
    const character = String.fromCharCode(code);
    const hex = code.toString(16);
    const encoded = canonicalUri(`x://a/b%${hex}c`);
    expect(encoded).toBe(canonicalUri(`x://a/b%${hex.toUpperCase()}c`));
    expect(encoded === canonicalUri(`x://a/b${character}c`)).toBe(!/[!#$&'()*+,/:;=?@[\]]/.test(character));
  }
});

test("templates match canonical URIs by meaning", () => {
  const match = (template: string, uri: string): object | undefined =>
    parse<string>(canonicalStart(template)).match(canonicalUri(uri));
  expect(match("Notes://%7Euser/{id}", "NOTES://~user/%73")).toEqual({ id: "s" });
  expect(match("HTTPS://Example.com:443/{+path}", "https://example.com/a")).toEqual({ path: "a" });
  expect(match("https://{sub}.Example.com/a", "https://x.EXAMPLE.com/a")).toEqual({ sub: "x" });
  expect(match("file:/{+path}", "file://localhost/a")).toEqual({ path: "a" });
  expect(match("x://{id}", "x://a%2Fb")).toEqual({ id: "a/b" });
  expect(() => canonicalStart("https://a b/{id}")).toThrow("not a valid URL");
});

test("prefixes are canonical as far as they go", () => {
  expect(canonicalPrefix("NOTES://%73ecret/")).toBe("notes://secret/");
  expect(canonicalPrefix("HTTP://Example.com:80/%7e")).toBe("http://example.com/~");
  expect(canonicalPrefix("HTTP://Exam")).toBe("http://exam");
  expect(canonicalPrefix("x://a/.")).toBe("x://a/.");
  expect(() => canonicalPrefix("x://a/../b/")).toThrow("dot segments");
});

test("params keep their identity if nothing changes, and all URIs of resources are found", () => {
  const same = { uri: "x://a" };
  expect(canonicalParams("resources/read", same)).toBe(same);
  expect(canonicalParams("tools/call", { uri: "X://a" })).toEqual({ uri: "X://a" });
  for (const method of ["resources/read", "resources/subscribe", "resources/unsubscribe"]) {
    expect(canonicalParams(method, { uri: "X://%61", _meta: 1 })).toEqual({ uri: "x://a", _meta: 1 });
    expect(canonicalParams(method, { uri: 5 })).toEqual({ uri: 5 });
  }
  const notifications = { toolsListChanged: true, resourceSubscriptions: ["X://a", 1, "x://b"] };
  expect(canonicalParams("subscriptions/listen", { notifications })).toEqual({
    notifications: { toolsListChanged: true, resourceSubscriptions: ["x://a", 1, "x://b"] },
  });
  expect(canonicalMessage({ method: "resources/read", id: 1, params: { uri: "X://a" } })).toEqual({
    method: "resources/read",
    id: 1,
    params: { uri: "x://a" },
  });
});
