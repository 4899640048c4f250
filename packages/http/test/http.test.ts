import { readEvents } from "@tenon/http/client";
import { accepts, formatEvent, mediaType } from "@tenon/http/server";
import fc from "fast-check";
import { expect, test } from "vitest";

const encoder = new TextEncoder();

async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const size of sizes) {
    yield bytes.subarray(from, from + size);
    from += size;
  }
  yield bytes.subarray(from);
}

test("what is written as an event is read as that event, however it is cut", async () => {
  const text = fc.string({ unit: "binary" });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ data: text, id: fc.stringMatching(/^[!-~]{1,8}$/) })),
      fc.array(fc.nat(20)),
      async (events, sizes) => {
        const bytes = encoder.encode(events.map(formatEvent).join(""));
        const read: unknown[] = [];
        for await (const { id, data } of readEvents(pieces(bytes, sizes), { maxEventLength: 10_000 })) {
          read.push({ id, data });
        }
        // Line ends of any kind arrive as one kind, and what UTF-8 cannot carry as its replacement.
        const normal = (data: string): string =>
          new TextDecoder("utf-8", { ignoreBOM: true })
            .decode(encoder.encode(data))
            .replaceAll(/\r\n|\r/g, "\n");
        expect(read).toEqual(events.map(({ id, data }) => ({ id, data: normal(data) })));
      },
    ),
  );
});

test("T-69: comments, empty events and other line ends are read as the standard says", async () => {
  const stream =
    ": comment\r\n\r\nid: 1\r\nretry: 500\r\ndata:\r\n\r\nevent: x\rdata: a\rdata: b\r\rdata: incomplete";
  const seen: unknown[] = [];
  let retry: number | undefined;
  const options = { maxEventLength: 100, onRetry: (ms: number) => void (retry = ms) };
  for await (const { id, event, data } of readEvents(pieces(encoder.encode(stream), [3, 1, 20]), options)) {
    seen.push([id, event, data]);
  }
  expect(seen).toEqual([
    ["1", undefined, ""],
    [undefined, "x", "a\nb"],
  ]);
  expect(retry).toBe(500);
});

test("media types are parsed, not searched", () => {
  expect(mediaType('Application/JSON; charset="utf-8"')).toBe("application/json");
  expect(mediaType("text/plain; x=application/json")).toBe("text/plain");
  expect(mediaType("application/json, text/plain")).toBeUndefined();
  expect(accepts("text/html, application/*;q=0.5", "application/json")).toBe(true);
  expect(accepts("application/json;q=0, */*;q=0.0", "application/json")).toBe(false);
});
