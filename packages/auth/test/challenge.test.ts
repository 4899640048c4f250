import fc from "fast-check";
import { expect, test } from "vitest";

import { formatChallenge, parseChallenges } from "../src/shared/challenge.ts";

/** Schemes with their parameters, as plain values. */
const read = (header: string): unknown =>
  parseChallenges(header).map(({ scheme, token68, parameters }) => [
    scheme,
    token68 ?? Object.fromEntries(parameters),
  ]);

test("a challenge is read with parameters in any case and spaces around the equals sign (R-733)", () => {
  expect(read('bEARER Realm = "a" ,SCOPE\t=\t"x y",error=invalid_token')).toEqual([
    ["bearer", { realm: "a", scope: "x y", error: "invalid_token" }],
  ]);
});

test("several challenges and token68 values are told apart", () => {
  expect(read('Negotiate, Basic dXNlcg==, DPoP algs="ES256", Bearer scope="a"')).toEqual([
    ["negotiate", {}],
    ["basic", "dXNlcg=="],
    ["dpop", { algs: "ES256" }],
    ["bearer", { scope: "a" }],
  ]);
});

test("quoted pairs are decoded, and commas and equals signs inside quotes separate nothing", () => {
  expect(read(String.raw`Bearer realm="a\"b, scope=\"evil\" \\", scope="ok"`)).toEqual([
    ["bearer", { realm: String.raw`a"b, scope="evil" \ `.trimEnd(), scope: "ok" }],
  ]);
});

test("the last value of a repeated parameter counts, and the repetition is reported", () => {
  const [challenge] = parseChallenges('Bearer scope="a", scope="b"');
  expect(challenge?.parameters.get("scope")).toBe("b");
  expect(challenge?.repeated).toEqual(["scope"]);
});

test("a parameter whose name ends like another is not taken for it", () => {
  expect(read('Bearer x_scope="evil"')).toEqual([["bearer", { x_scope: "evil" }]]);
});

test.each([
  [
    'Bearer realm="never closed, scope="x',
    [
      ["bearer", { realm: "never closed, scope=" }],
      ["x", {}],
    ],
  ],
  ["Bearer resource_metadata=https://a.example/x, scope=a", [["bearer", { scope: "a" }]]],
  ["=x, , ,Bearer", [["bearer", {}]]],
  ["", []],
  ["\u0000\u0001 ???, Bearer", [["bearer", {}]]],
])("of the malformed header %j only the well-formed parts are read", (header, expected) => {
  expect(read(header)).toEqual(expected);
});

test("A-045: a header of megabytes is not read, and the number of challenges is limited", () => {
  expect(parseChallenges(`Bearer realm="${"a".repeat(2 ** 21)}"`)).toEqual([]);
  expect(parseChallenges(Array.from({ length: 100 }, () => "Bearer").join(", "))).toHaveLength(16);
});

test("A-045: values in realm do not become parameters of the challenge, however deeply they are quoted", () => {
  const inner = formatChallenge("Bearer", { scope: "evil", resource_metadata: "https://evil.example" });
  for (const realm of [inner, JSON.stringify(inner), `", ${inner}`, "\\".repeat(99)]) {
    const [challenge, ...others] = parseChallenges(formatChallenge("Bearer", { realm, scope: "good" }));
    expect(others).toEqual([]);
    expect(Object.fromEntries(challenge?.parameters ?? [])).toEqual({ realm, scope: "good" });
  }
});

test("every challenge that is written is read back, and any text at all is read without an exception", () => {
  const value = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  });
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("realm", "scope", "error"), value), (parameters) => {
      const [challenge] = parseChallenges(formatChallenge("DPoP", parameters));
      expect(Object.fromEntries(challenge?.parameters ?? [])).toEqual({ ...parameters });
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => parseChallenges(text).length <= 16));
});

test.each([
  ["Bear er", {}],
  ["", {}],
  ["Bearer", { "a b": "x" }],
  ["Bearer", { scope: "a\r\nSet-Cookie: x" }],
  ["Bearer", { scope: "ü" }],
])("formatChallenge refuses the scheme %j with the parameters %j", (scheme, parameters) => {
  expect(() => formatChallenge(scheme, parameters)).toThrow(TypeError);
});
