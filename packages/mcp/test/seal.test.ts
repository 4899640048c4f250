import { canonicalJson } from "@tenon/base/canonical-json";
import { samples } from "@tenon/samples";
import fc from "fast-check";
import { expect, test } from "vitest";

import { fromBase64Url, toBase64Url } from "../src/feature/interaction/server/by-results/base64url.ts";
import { fingerprint } from "../src/feature/interaction/server/by-results/fingerprint.ts";
import { createSealer } from "../src/feature/interaction/server/by-results/seal.ts";
import {
  decodeState,
  encodeState,
  type InteractionState,
} from "../src/feature/interaction/server/by-results/state.ts";

const key = { id: "k1", secret: "a secret that is long enough for it" };

test("what was sealed opens in its own context, as it was", async () => {
  const sealer = createSealer([key]);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 200 }), fc.string(), async (text, context) => {
      const sealed = await sealer.seal(text, context);
      expect(await sealer.open(sealed, context)).toEqual({ text });
      expect(sealed).toMatch(/^t1\.k1\.[\w-]+$/);
      expect(await sealer.seal(text, context)).not.toBe(sealed);
    }),
  );
});

test("nothing but the sealed text itself opens: any change is refused, and never throws (R-652)", async () => {
  const sealer = createSealer([key, { id: "k2", secret: key.secret }]);
  const sealed = await sealer.seal('{"e":1}', "context");
  await fc.assert(
    fc.asyncProperty(
      fc.nat(sealed.length),
      fc.nat(4),
      fc.string({ maxLength: 3 }),
      async (at, removed, inserted) => {
        const changed = sealed.slice(0, at) + inserted + sealed.slice(at + removed);
        fc.pre(changed !== sealed);
        expect(await sealer.open(changed, "context")).toHaveProperty("refused");
      },
    ),
    { numRuns: samples(500) },
  );
  await fc.assert(
    fc.asyncProperty(fc.string(), async (garbage) => {
      expect(await sealer.open(garbage, "context")).toHaveProperty("refused");
    }),
  );
  expect(await sealer.open(sealed, "another context")).toEqual({ refused: "tampered", key: "k1" });
  // The same secret under another id is another key.
  expect(await sealer.open(sealed.replace("k1", "k2"), "context")).toEqual({
    refused: "tampered",
    key: "k2",
  });
  expect(await createSealer().open(sealed, "context")).toEqual({ refused: "unknown-key" });
});

test("keys of a function are read for every state, and a key that it no longer returns opens nothing", async () => {
  const other = { id: "k2", secret: "another secret that is long enough" };
  let keys = [key];
  const sealer = createSealer(() => Promise.resolve(keys));
  const first = await sealer.seal("1", "context");
  keys = [other, key];
  const second = await sealer.seal("2", "context");
  expect(second).toMatch(/^t1\.k2\./);
  expect(await sealer.open(first, "context")).toEqual({ text: "1" });
  keys = [other];
  expect(await sealer.open(first, "context")).toEqual({ refused: "unknown-key" });
  keys = [{ id: "k2", secret: "yet another secret that is long enough" }];
  expect(await sealer.open(second, "context")).toEqual({ refused: "tampered", key: "k2" });
  keys = [{ id: "k2", secret: "short" }];
  await expect(sealer.seal("3", "context")).rejects.toMatchObject({ code: "INVALID_DEFINITION" });
});

test("base64url goes both ways and every byte string has one text only", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
      expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
    }),
  );
  for (const odd of ["a", "AB", "AA==", "A A", "ä", "+/"]) {
    expect(fromBase64Url(odd)).toBeUndefined();
  }
});

test("state goes through text unchanged, until it expires", () => {
  const keyed = fc.tuple(fc.string(), fc.string(), fc.oneof(fc.constant([]), fc.tuple(fc.jsonValue())));
  fc.assert(
    fc.property(
      fc.array(keyed),
      fc.array(fc.tuple(fc.string(), fc.option(fc.jsonValue(), { nil: undefined }))),
      fc.option(fc.jsonValue(), { nil: undefined }),
      (asked, steps, user) => {
        const state: InteractionState = {
          rounds: 3,
          asked: new Map(
            asked.map(([name, print, answer]) => [name, { fingerprint: print, answer: clean(answer) }]),
          ),
          steps: new Map(clean(steps)),
          user: clean(user),
        };
        const text = encodeState(state, 100);
        expect(decodeState(text, 99)).toEqual(state);
        expect(decodeState(text, 100)).toBeUndefined();
      },
    ),
  );
});

/** JSON has no `-0`. */
function clean<T>(value: T): T {
  return value === undefined
    ? value
    : (JSON.parse(JSON.stringify(value), (_, member: unknown) => (Object.is(member, -0) ? 0 : member)) as T);
}

test("equal values have one fingerprint, whatever the order of their members; others have another", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(fingerprint(reversed(a))).toBe(fingerprint(a));
      if (canonicalJson(a) !== canonicalJson(b)) {
        expect(fingerprint(a)).not.toBe(fingerprint(b));
      }
    }),
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(reversed);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([name, member]) => [name, reversed(member)]),
      )
    : value;
}
