import { expect, test } from "vitest";

import { startChild } from "../src/child.ts";
import { ownUsage, usageOf } from "../src/usage.ts";

const fixture = new URL("fixtures/candidate.ts", import.meta.url);

test("a child process takes samples, reports errors, and its end rejects what waits", async () => {
  const child = await startChild(fixture, { execArgv: ["--import", "tsx"] });
  try {
    await expect(child.sample("double")).resolves.toEqual({ ns: 2 });
    await expect(child.sample("fails")).rejects.toThrow(/the answer is wrong/);
    await expect(child.sample("unknown")).rejects.toThrow(/Expected one of double, fails, ends, got unknown/);
    await expect(child.sample("ends")).rejects.toThrow(/ended with 3/);
  } finally {
    await child.close();
    await child.close();
  }
});

test.skipIf(process.platform !== "linux")("usage of another process is read from /proc (Linux only)", () => {
  const seen = usageOf(process.pid);
  const own = ownUsage();
  expect(Math.abs(seen.rssBytes - own.rssBytes)).toBeLessThan(own.rssBytes / 2);
  expect(seen.cpuNs).toBeGreaterThan(0);
  expect(usageOf(2 ** 30)).toEqual({ cpuNs: Number.NaN, rssBytes: Number.NaN });
});
