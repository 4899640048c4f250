import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { samples } from "@tenon/samples";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { expect, test } from "vitest";

import { readEvents } from "../src/client.ts";
import { EventParser, type ReceivedEvent } from "../src/client/event-parser.ts";

interface Read {
  readonly events: ReceivedEvent[];
  readonly retries: number[];
}

function ours(pieces: readonly string[]): Read {
  const read: Read = { events: [], retries: [] };
  const parser = new EventParser(
    (event) => void read.events.push(event),
    (ms) => void read.retries.push(ms),
  );
  for (const piece of pieces) {
    parser.feed(piece);
  }
  return read;
}

/** The same by the parser that many programs use, which leaves out events without data. */
function theirs(text: string): Read {
  const read: Read = { events: [], retries: [] };
  const parser = createParser({
    onEvent: ({ id, event, data }) => void read.events.push({ id, event, data }),
    onRetry: (ms) => void read.retries.push(ms),
  });
  parser.feed(text);
  return read;
}

function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (const size of sizes) {
    pieces.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return [...pieces, rest];
}

const line = fc.oneof(
  fc.constantFrom(
    "data",
    "data:",
    "data: a",
    "data:  b",
    "data:c:d",
    ":",
    ": comment",
    "junk",
    "dat: a",
    " data: a",
  ),
  fc.constantFrom(
    "event: x",
    "event:message",
    "id: 1",
    "id:2",
    "id: a\u0000b",
    "retry: 5",
    "retry: -1",
    "retry: x",
  ),
  fc.string({ unit: fc.constantFrom("d", "a", "t", ":", " ", "é", "\u2028", "\u0085"), maxLength: 8 }),
);
const lineEnd = fc.constantFrom("\n", "\r\n", "\r");

test("a stream is read as another parser reads it, however it is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(line, lineEnd)), fc.array(fc.nat(12)), (lines, sizes) => {
      // Every event gets data, since the other parser gives none without; it also waits for what
      // follows a CR.
      const all = lines.map(([content, end]) => (content === "" ? `data:+${end}${end}` : content + end));
      const text = `${all.join("")}:\n`;
      const read = ours(cut(text, sizes));
      expect(read.events.filter(({ data }) => data !== "")).toEqual(
        theirs(text).events.filter(({ data }) => data !== ""),
      );
      expect(read.retries).toEqual(theirs(text).retries);
    }),
    { numRuns: samples(2000) },
  );
});

test("an event of an id alone says how far the stream is, and an empty id that nothing is known of it", () => {
  expect(ours(["id: 7\n\nid:\n\nevent: x\n\n:\n\n\n"]).events).toEqual([
    { event: undefined, id: "7", data: "" },
    { event: undefined, id: "", data: "" },
  ]);
});

test("what is kept of an unfinished event is known to the last character", () => {
  const parser = new EventParser(() => {});
  parser.feed("data: abc\ndata: de\nevent: fg\nid: h\nda");
  expect(parser.pending).toBe("abc\nde".length + "fg".length + "h".length + "da".length);
  parser.feed("ta\n\n");
  expect(parser.pending).toBe(0);
});

test("what an unfinished event costs is what stands in it, however many lines it has and whatever stands between them", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const parser = new EventParser(() => {});
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  for (let piece = 0; piece < 200; piece++) {
    parser.feed("data\n".repeat(5000));
  }
  // Beside each line of data one that nobody knows.
  for (let piece = 0; piece < 4000; piece++) {
    parser.feed(`data: more than a few\n${"junk ".repeat(2000)}\n`);
  }
  expect(parser.pending).toBeLessThan(1_100_000);
  // 32 MB for the empty lines and 40 MB for the junk were kept once.
  expect(used() - before).toBeLessThan(16_000_000);
  expect(parser.pending).toBeGreaterThan(1_000_000);
});

test.each([
  ["a line without end", "data: x", "x".repeat(64)],
  ["lines without end", "", "data: x\n".repeat(8)],
  ["a name without end", "event: ", "x".repeat(64)],
  ["an id without end", "id: ", "x".repeat(64)],
  ["one long event in a piece", "", `data: ${"x".repeat(1001)}\n\n`],
])("%s is an event that is too large", async (_, start, piece) => {
  const encoder = new TextEncoder();
  const body = (async function* () {
    yield encoder.encode(start);
    for (;;) {
      yield encoder.encode(piece);
    }
  })();
  const reading = (async () => {
    for await (const { data } of readEvents(body, { maxEventLength: 1000 })) {
      expect(data).toBe("");
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: "EVENT_TOO_LARGE" });
});

test("lines that mean nothing are passed over, however many", async () => {
  const encoder = new TextEncoder();
  const body = (async function* () {
    for (let piece = 0; piece < 200; piece++) {
      yield encoder.encode(`${"junk\n".repeat(5000)}:\r\rretry: no\n\n`);
    }
    yield encoder.encode("data: here\n\n");
  })();
  const read: string[] = [];
  for await (const { data } of readEvents(body, { maxEventLength: 100 })) {
    read.push(data);
  }
  expect(read).toEqual(["here"]);
});
