import { Writable } from "node:stream";

import { isLocalError } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { createSink } from "../src/sink.ts";

test("a write that waits is refused, not accepted, when the other side turns out to be gone", async () => {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let finish: (error: Error) => void = () => {};
  const stream = new Writable({
    write(_chunk, _encoding, done) {
      finish = done;
      begin();
    },
  });
  const sink = createSink(stream, 10);
  const written = sink.write("x".repeat(100)).then(
    () => "accepted",
    (error: unknown) => error,
  );
  await begun;
  finish(new Error("EPIPE"));
  expect(isLocalError(await written, "CONNECTION_CLOSED")).toBe(true);
});

test("short responses are accepted above the limit of a reader that is stuck, up to a sum", async () => {
  let drain = (): void => {};
  const stream = new Writable({
    decodeStrings: false,
    write: (_chunk, _encoding, done) => {
      drain = done;
    },
  });
  const sink = createSink(stream, 1024);
  const refusal = async (text: string): Promise<string | undefined> => {
    let message: string | undefined;
    sink.write(text).catch((error: Error) => {
      message = error.message;
    });
    await new Promise(setImmediate);
    return message;
  };
  await refusal("x".repeat(100_000));
  const limit = "Too many unread bytes: the limit is 16384 (16 times maxBufferedBytes).";
  const response = (length: number): string =>
    `{"jsonrpc":"2.0","id":1,"result":"${"x".repeat(length - 37)}"}\n`;
  expect(response(100)).toHaveLength(100);
  for (const text of [
    "[]\n",
    '{"jsonrpc":"2.0","method":"x"}\n',
    `[{"jsonrpc":"2.0","method":"x"}]\n`,
    response(65_537),
  ]) {
    expect(await refusal(text)).toBe(limit);
  }
  expect(await refusal(`[${response(100)}]\n`)).toBeUndefined();
  for (let n = 0; n < 255; n++) {
    expect(await refusal(response(65_536))).toBeUndefined();
  }
  expect(await refusal(response(65_536))).toBe(limit);
  expect(await refusal(response(100))).toBeUndefined();
  while (stream.writableLength > 0) {
    drain();
  }
  await refusal("x".repeat(100_000));
  expect(await refusal(response(65_536))).toBeUndefined();
  sink.end();
});

test("long text is handed over as bytes, so that a reader that is stuck costs its length and no more (T-072)", async () => {
  const chunks: unknown[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const sink = createSink(stream, 1024 * 1024);
  await sink.write("short");
  await sink.flush();
  await sink.write("é".repeat(100_000));
  await sink.flush();
  const [short, long] = chunks.filter((chunk) => chunk !== "");
  expect(short).toBe("short");
  expect(long).toEqual(Buffer.from("é".repeat(100_000)));
});

test("16 times maxBufferedBytes wait for a reader that is stuck, and no more", async () => {
  const sink = createSink(new Writable({ decodeStrings: false, write() {} }), 1024);
  const kibibyte = "x".repeat(1024);
  const waiting = Array.from({ length: 16 }, () => sink.write(kibibyte));
  const refused = await sink.write("x").catch((error: unknown) => error);
  expect(isLocalError(refused, "LIMIT_EXCEEDED")).toBe(true);
  sink.end();
  const settled = await Promise.allSettled(waiting);
  // The first one was accepted at once.
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", ...Array<string>(15).fill("rejected")]);
});

/** A stream that keeps what it is given, and takes it at once or when it is told to. */
function recorder(takes: boolean): { stream: Writable; chunks: string[]; take: () => void } {
  const chunks: string[] = [];
  let done: (() => void) | undefined;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, callback) {
      chunks.push(String(chunk));
      if (takes) {
        callback();
      } else {
        done = callback;
      }
    },
  });
  const take = (): void => {
    const callback = done;
    done = undefined;
    callback?.();
  };
  return { stream, chunks, take };
}

const line = (index: number): string => `${index}\n`;
const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => line(index));
const sizes = (chunks: readonly string[]): number[] => chunks.map((chunk) => chunk.split("\n").length - 1);

test("the texts of one turn leave in order and in pieces that grow, and each turn begins with small ones", async () => {
  const { stream, chunks } = recorder(true);
  const sink = createSink(stream, 1024 * 1024);
  for (const turn of [lines(1000), lines(9)]) {
    chunks.length = 0;
    await Promise.all(turn.map((text) => sink.write(text)));
    await new Promise(setImmediate);
    expect(chunks.join("")).toBe(turn.join(""));
    const pieces = sizes(chunks);
    expect(pieces.slice(0, 2)).toEqual(turn.length === 9 ? [8, 1] : [8, 8]);
    expect(pieces.slice(0, -1)).toEqual(pieces.slice(0, -1).toSorted((one, other) => one - other));
    expect(pieces.length).toBeLessThan(32);
  }
});

test("a piece leaves before the end of the turn, so that its receiver need not wait for the rest", () => {
  const { stream, chunks } = recorder(true);
  const sink = createSink(stream, 1024 * 1024);
  for (const text of lines(8)) {
    void sink.write(text);
  }
  expect(chunks).toEqual([lines(8).join("")]);
});

test("a few long texts leave as soon as they are more than 64 KiB", () => {
  const { stream, chunks } = recorder(true);
  const sink = createSink(stream, 1024 * 1024);
  const text = "x".repeat(40_000);
  void sink.write(text);
  expect(chunks).toEqual([]);
  void sink.write(text);
  expect(chunks).toEqual([text + text]);
});

test("a reader that stops holds back all pieces together: what waits is counted wherever it is", async () => {
  const { stream, chunks, take } = recorder(false);
  const sink = createSink(stream, 125);
  let accepted = 0;
  const outcomes = Array.from({ length: 40 }, async () => {
    await sink.write("x".repeat(100));
    accepted++;
  });
  const settled = Promise.allSettled(outcomes);
  await new Promise(setImmediate);
  // One is accepted, nineteen more wait, and the rest is refused.
  expect(accepted).toBe(1);
  expect(stream.writableLength).toBe(2000);
  while (stream.writableLength > 0) {
    take();
    await new Promise(setImmediate);
  }
  const states = (await settled).map(({ status }) => status);
  expect(states.filter((status) => status === "fulfilled")).toHaveLength(20);
  expect(states.slice(20)).toEqual(Array<string>(20).fill("rejected"));
  expect(chunks.join("")).toHaveLength(2000);
});
