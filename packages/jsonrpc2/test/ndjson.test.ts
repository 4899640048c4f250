import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { isLocalError, type DecodeLimits, type Incoming } from "../src/index.ts";
import { type ByteStream, ndjsonConnection } from "../src/stream.ts";

const utf8 = new TextEncoder();

function streamOf(chunks: readonly Uint8Array[]): ByteStream & { written: string } {
  let next = 0;
  const stream = {
    written: "",
    read: () => Promise.resolve(chunks[next++]),
    write(text: string) {
      stream.written += text;
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  return stream;
}

async function readAll(chunks: readonly Uint8Array[], limits?: DecodeLimits): Promise<Incoming[]> {
  const connection = ndjsonConnection(streamOf(chunks), limits);
  const all: Incoming[] = [];
  for (let read = await connection.read(); read !== undefined; read = await connection.read()) {
    all.push(read);
  }
  return all;
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
}

const note = (text: string): { jsonrpc: "2.0"; method: string } => ({ jsonrpc: "2.0", method: text });
const lines = (...texts: string[]): Uint8Array => utf8.encode(texts.join("\n"));
const noteLine = (text: string): string => JSON.stringify(note(text));

test("messages arrive the same however their bytes are cut (T-019)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "binary" }), { maxLength: 20 }),
      fc.array(fc.nat(12), { maxLength: 200 }),
      fc.constantFrom("\n", "\r\n", "\n\n"),
      fc.boolean(),
      async (texts, sizes, lineEnd, endsWithLine) => {
        const text = texts.map(noteLine).join(lineEnd) + (endsWithLine ? lineEnd : "");
        expect(await readAll(cut(utf8.encode(text), sizes))).toEqual(
          texts.map((method) => note(JSON.parse(JSON.stringify(method)) as string)),
        );
      },
    ),
    { numRuns: samples(500) },
  );
});

test("a multi-byte character may be cut at every offset", async () => {
  const bytes = lines(noteLine("é漢👍"), "");
  for (let at = 0; at <= bytes.length; at++) {
    expect(await readAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([note("é漢👍")]);
  }
});

test("CRLF, empty lines and a byte order mark are tolerated; the last line needs no end (T-002)", async () => {
  expect(await readAll([lines(`\uFEFF${noteLine("a")}\r`, "", "\r", noteLine("b"))])).toEqual([
    note("a"),
    note("b"),
  ]);
});

test("a line that is too long is skipped and answered with its id, and reading goes on (T-005)", async () => {
  const long = `{"jsonrpc":"2.0","id":7,"method":"m","params":["${"x".repeat(200)}"]}`;
  const bytes = lines(noteLine("a"), long, noteLine("b"), long);
  const expected = [
    note("a"),
    expect.objectContaining({ id: 7, malformed: expect.objectContaining({ code: -32_600 }) as unknown }),
    note("b"),
    expect.objectContaining({ id: 7 }),
  ];
  for (const size of [1, 7, 50, 100, 1000]) {
    expect(
      await readAll(
        cut(
          bytes,
          Array.from({ length: 600 }, () => size),
        ),
        { maxMessageBytes: 100 },
      ),
    ).toEqual(expected);
  }
});

test("the limit counts bytes and not the line end, whether LF or CRLF", async () => {
  const line = noteLine("éé");
  const maxBytes = utf8.encode(line).length;
  for (const lineEnd of ["\n", "\r\n"]) {
    for (const size of [1, 5, 1000]) {
      const chunks = cut(
        utf8.encode(line + lineEnd + line + lineEnd),
        Array.from({ length: 100 }, () => size),
      );
      expect(await readAll(chunks, { maxMessageBytes: maxBytes })).toEqual([note("éé"), note("éé")]);
      const refused = await readAll(chunks, { maxMessageBytes: maxBytes - 1 });
      expect(refused).toHaveLength(2);
      expect(refused[0]).toHaveProperty("malformed");
    }
  }
});

test("a line that is not UTF-8 is refused alone (T-017)", async () => {
  const bad = Uint8Array.of(0x22, 0xff, 0x22, 0x0d, 0x0a);
  const chunk = Uint8Array.of(...lines(noteLine("a"), ""), ...bad, ...lines(noteLine("b"), ""));
  expect(await readAll([chunk])).toEqual([
    note("a"),
    { malformed: expect.objectContaining({ code: -32_700 }) as unknown },
    note("b"),
  ]);
});

test("a line that trickles in byte by byte is read in linear time and memory", async () => {
  const text = "x".repeat(300_000);
  const bytes = lines(noteLine(text), "");
  const read = await readAll(Array.from(bytes, (byte) => Uint8Array.of(byte)));
  expect(read).toEqual([note(text)]);
});

test("messages are written one per line with LF", async () => {
  const stream = streamOf([]);
  const connection = ndjsonConnection(stream);
  await connection.write(note("a\nb\u2028"));
  await connection.write([note("c"), note("d")]);
  expect(stream.written.split("\n")).toEqual([
    noteLine("a\nb\u2028"),
    `[${noteLine("c")},${noteLine("d")}]`,
    "",
  ]);
});

test("a stream that breaks rejects the read; one that breaks during close does not", async () => {
  const failure = new Error("broken pipe");
  const broken = { ...streamOf([]), read: () => Promise.reject(failure) };
  await expect(ndjsonConnection(broken).read()).rejects.toBe(failure);
  let reject: (error: unknown) => void = () => {};
  const pending = new Promise<undefined>((_resolve, fail) => {
    reject = fail;
  });
  const connection = ndjsonConnection({ ...streamOf([]), read: () => pending });
  const read = connection.read();
  await connection.close();
  reject(failure);
  expect(await read).toBeUndefined();
});

test("an aborted signal ends the wait for a full buffer with its reason", async () => {
  const connection = ndjsonConnection({ ...streamOf([]), write: () => new Promise(() => {}) });
  const abort = new AbortController();
  const write = connection.write(note("a"), { signal: abort.signal });
  abort.abort("enough");
  await expect(write).rejects.toBe("enough");
  await expect(connection.write(note("a"), { signal: abort.signal })).rejects.toBe("enough");
});

test("after close nothing is read or written", async () => {
  const connection = ndjsonConnection(streamOf([lines(noteLine("a"), "")]));
  await connection.close();
  await connection.close();
  expect(await connection.read()).toBeUndefined();
  const error: unknown = await connection.write(note("a")).catch((caught: unknown) => caught);
  expect(isLocalError(error, "CONNECTION_CLOSED")).toBe(true);
});
