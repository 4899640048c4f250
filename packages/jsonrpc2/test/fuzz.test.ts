import { samples, seed } from "@tenon/samples";
import { expect, test } from "vitest";

import { Peer } from "../src/index.ts";
import { type ByteStream, ndjsonConnection } from "../src/stream.ts";
import { settled } from "./helpers.ts";

/** A small generator of pseudo-random numbers, so that a failure can be repeated. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const good = [
  '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":[1,2,{"b":"é漢👍"}]}}',
  '{"jsonrpc":"2.0","method":"note","params":["x"]}',
  '{"jsonrpc":"2.0","id":"s","result":{"a":1}}',
  '{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no","data":null}}',
  '[{"jsonrpc":"2.0","id":2,"method":"echo"}]',
];
const junk = [
  "null",
  "true",
  "1e999",
  '"\\ud800"',
  "[[[[",
  "}}}}",
  '{"id":',
  "\u0000",
  "\uFEFF",
  "__proto__",
  "\\u00",
  "-0",
  "{}",
  "\r",
];

function mutate(text: string, random: (below: number) => number): Uint8Array {
  const bytes = Buffer.from(text);
  const at = random(bytes.length);
  switch (random(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
      return bytes;
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(junk[random(junk.length)] ?? ""),
        bytes.subarray(at),
      ]);
    case 3:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.of(random(256), random(256)),
        bytes.subarray(at + random(10)),
      ]);
    case 4:
      return Buffer.from(junk[random(junk.length)] ?? "");
    default:
      return Buffer.from(
        text.replace(/"(id|method|params|jsonrpc|result)"/, junk[random(junk.length)] ?? ""),
      );
  }
}

test("thousands of malformed frames end with a live connection (T-001, T-002)", async () => {
  const random = createRandom(seed());
  const lineEnd = Buffer.from("\n");
  const count = samples(100_000);
  let frames = 0;
  let rest: Uint8Array[] = [];
  let answered: () => void = () => {};
  const lastAnswer = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const stream: ByteStream = {
    read() {
      if (frames < count) {
        const parts: Uint8Array[] = [];
        for (let n = 0; n < 50; n++, frames++) {
          parts.push(mutate(good[random(good.length)] ?? "", random), lineEnd);
        }
        const bytes = Buffer.concat(parts);
        const at = random(bytes.length);
        rest.push(bytes.subarray(at));
        return Promise.resolve(Buffer.concat([...rest.splice(0, rest.length - 1), bytes.subarray(0, at)]));
      }
      if (rest.length > 0) {
        rest.push(Buffer.from('\n{"jsonrpc":"2.0","id":"last","method":"echo","params":{"ok":true}}\n'));
        const last = Buffer.concat(rest);
        rest = [];
        return Promise.resolve(last);
      }
      return new Promise(() => {});
    },
    write(text) {
      expect(text.endsWith("\n")).toBe(true);
      const answer = JSON.parse(text) as { id: unknown; result?: unknown };
      if (answer.id === "last") {
        expect(answer.result).toEqual({ ok: true });
        answered();
      }
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  const peer = new Peer(ndjsonConnection(stream), { handler: ({ params }) => params, batches: () => true });
  await lastAnswer;
  await settled();
  expect(frames).toBeGreaterThanOrEqual(count);
  expect(peer.idle).toBe(true);
  await peer.close();
  expect(await peer.closed).toEqual({});
});
