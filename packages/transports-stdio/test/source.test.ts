import { PassThrough, Readable } from "node:stream";

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

test("a stream that is never empty does not keep the event loop from going round (T-042)", async () => {
  const chunk = Buffer.alloc(65_536, "x");
  const source = createSource(
    new Readable({
      read() {
        this.push(chunk);
      },
    }),
  );
  let rounds = 0;
  const count = (): void => {
    rounds++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  for (let read = 0; read < 100; read++) {
    expect((await source.read())?.length).toBe(65_536);
  }
  clearImmediate(next);
  source.end();
  expect(rounds).toBeGreaterThan(40);
});

test("what ends while the event loop goes round is read to its end", async () => {
  const source = createSource(Readable.from([Buffer.alloc(70_000), Buffer.from("last")]));
  expect((await source.read())?.length).toBe(70_000);
  const last = source.read();
  expect(String(await last)).toBe("last");
  expect(await source.read()).toBe(undefined);
});
