import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { createDecoder } from "../src/decode.ts";
import type { DecodeLimits, Incoming } from "../src/index.ts";
import { createStreamDecoder, ndjsonConnection } from "../src/stream.ts";

const limits: DecodeLimits = {
  maxMessageBytes: 400,
  maxDepth: 6,
  maxValues: 40,
  maxBatch: 3,
  maxIdLength: 4,
};
const whole = createDecoder(limits);
const inStream = createStreamDecoder(limits);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1]}}',
  '{"jsonrpc": "2.0", "id": "a", "method": "m"}',
  '{"id":1,"result":{},"jsonrpc":"2.0"}',
  '{"result":{"a":1},"jsonrpc":"2.0","id":"abcd"}',
  '{"result":{"a":1},"jsonrpc":"2.0","id":"abcde"}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}',
  '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"no"}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":1}}',
  '{"jsonrpc":"2.0","result":1}',
  '{"jsonrpc":"2.0","id":"abcde","method":"m"}',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":null}',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":1}',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"b":{"c":{"d":{"e":{}}}}}}}',
  `{"jsonrpc":"2.0","id":1,"method":"m","params":[${"1,".repeat(40)}1]}`,
  `{"jsonrpc":"2.0","id":1,"method":"m","params":["${"a".repeat(400)}"]}`,
  '\uFEFF{"jsonrpc":"2.0","id":1,"method":"m"}',
  '[{"jsonrpc":"2.0","id":1,"method":"m"}]',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":{}} ',
  "{",
  "",
])("a stream decoder decodes and refuses like decode: %s", async (text) => {
  expect(await inStream(text)).toStrictEqual(whole(text));
  expect(await inStream(bytesOf(text))).toStrictEqual(whole(bytesOf(text)));
});

test("a stream decoder agrees with decode on every text like a message", async () => {
  const value = fc.oneof(fc.json(), fc.constantFrom('"2.0"', "1", '"a"', "null", "-0", "{}", "[]"));
  const names = ["jsonrpc", "id", "method", "params", "result", "error", "other"];
  const member = fc.tuple(fc.constantFrom(...names), value).map(([name, of]) => `"${name}":${of}`);
  const text = fc.array(member, { maxLength: 5 }).map((members) => `{${members.join()}}`);
  await fc.assert(
    fc.asyncProperty(text, async (input) => {
      expect(await inStream(input)).toStrictEqual(whole(input));
    }),
    { numRuns: samples(300) },
  );
});

test("bytes that are not UTF-8 are refused like decode refuses them", async () => {
  const bytes = Uint8Array.from([0x7b, 0xff, 0x7d]);
  expect(await inStream(bytes)).toStrictEqual(whole(bytes));
});

test("lines keep their order while the code for an unusual one is loaded", async () => {
  const usual = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"m"}`;
  const lines = [usual(1), `[${usual(2)}]`, usual(3), "nonsense", usual(4), "x".repeat(500), usual(5)];
  const chunks = [bytesOf(`${lines.join("\n")}\n`)];
  const connection = ndjsonConnection(
    {
      read: () => Promise.resolve(chunks.shift()),
      write: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    limits,
  );
  const read: (Incoming | undefined)[] = [];
  for (let next = await connection.read(); next !== undefined; next = await connection.read()) {
    read.push(next);
  }
  expect(read).toMatchObject([
    { id: 1 },
    { batch: [{ id: 2 }] },
    { id: 3 },
    { malformed: { code: -32_700 } },
    { id: 4 },
    { malformed: { code: -32_600 } },
    { id: 5 },
  ]);
});
