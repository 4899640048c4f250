import { expect, test } from "vitest";

import { Revocations } from "../src/server/revocations.ts";

test("a principal counts as revoked for requests that arrived before, and nobody else does", () => {
  const revocations = new Revocations();
  const before = revocations.count;
  revocations.add("alice");
  expect(revocations.revokedSince(before, "alice")).toBe(true);
  expect(revocations.revokedSince(before, "bob")).toBe(false);
  expect(revocations.revokedSince(before, undefined)).toBe(false);
  expect(revocations.revokedSince(revocations.count, "alice")).toBe(false);
});

test("a revocation that is forgotten refuses every request that arrived before it", () => {
  const revocations = new Revocations();
  const before = revocations.count;
  for (let number = 0; number < 1001; number++) {
    revocations.add(`user-${number}`);
  }
  expect(revocations.revokedSince(before, "user-0")).toBe(true);
  expect(revocations.revokedSince(before + 1, "user-0")).toBe(false);
  expect(revocations.revokedSince(before + 1, "user-1000")).toBe(true);
});
