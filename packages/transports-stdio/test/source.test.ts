import { PassThrough } from "node:stream";

import { afterEach, expect, test, vi } from "vitest";

import { createSource } from "../src/source.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("what arrived before the end was expected waits for a slow reader; only a reader that waits ends the source (S-233)", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stream = new PassThrough();
  const source = createSource(stream);
  stream.write("a");
  source.expectEnd(250);
  vi.advanceTimersByTime(10_000);
  expect(Buffer.from((await source.read()) ?? []).toString()).toBe("a");
  const waiting = source.read();
  vi.advanceTimersByTime(250);
  expect(await waiting).toBeUndefined();
  expect(await source.read()).toBeUndefined();
});
