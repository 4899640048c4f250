import type { Message, Outgoing } from "../../message.ts";
import type { Check, ConformanceOptions } from "../conformance.ts";
import { expect, expectDelivery, expectEqual, expectLocalError, numbered, withPair } from "./assert.ts";

const request = (params: object): Message => ({ jsonrpc: "2.0", id: 1, method: "m", params });
const result = (value: unknown): Message => ({ jsonrpc: "2.0", id: 1, result: value });

/** A check that some messages arrive as they were written. */
function arrives(name: string, messages: (options: ConformanceOptions) => readonly Outgoing[]): Check {
  return {
    name,
    run: (factory, options) =>
      withPair(factory, async (pair) => {
        for (const message of messages(options)) {
          await expectDelivery(pair, message);
        }
      }),
  };
}

function nested(depth: number): object {
  let value: object = {};
  for (let level = 0; level < depth; level++) {
    value = level % 2 === 0 ? [value] : { value };
  }
  return value;
}

const texts: Check[] = [
  arrives("text outside of ASCII arrives unharmed", () => [
    request({ text: "é ß 漢字 עברית العربية 👩‍👩‍👧‍👦 e\u0301 \u{10FFFF}" }),
  ]),
  arrives("line breaks and other control characters in strings do not end a message", () => [
    request({ text: `\n \r \r\n \u2028 \u2029 \u0000 \u0007 \u001B \u007F \u0085 "quoted" \\` }),
  ]),
  arrives("a lone surrogate in a string survives", () => [request({ text: "\uD800 and \uDFFF" })]),
  arrives("a byte order mark inside a string survives", () => [request({ text: "\uFEFFa\uFEFF" })]),
];

const values: Check[] = [
  arrives("numbers keep their value", () => [
    request({ values: [0, -1.5, 1e21, 5e-324, 1.7976931348623157e308, Number.MAX_SAFE_INTEGER] }),
  ]),
  arrives("falsy results arrive", () => [result(null), result(false), result(0), result("")]),
  arrives("parameters by position arrive", () => [request([1, "two", [3], null]), request([])]),
  arrives("empty parameters stay empty, absent ones stay absent", () => [
    request({}),
    { jsonrpc: "2.0", method: "m" },
    { jsonrpc: "2.0", id: 1, method: "m" },
  ]),
  arrives("a hundred levels of nesting arrive", () => [request({ value: nested(100) })]),
  arrives("members named __proto__ and constructor are data", () => [
    request(
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as object,
    ),
  ]),
  arrives("unknown members of the envelope are kept", () => [
    { jsonrpc: "2.0", id: 1, method: "m", extension: { a: 1 }, length: 1, batch: 2 } as Message,
  ]),
];

const kinds: Check[] = [
  arrives("a request arrives as it was written", () => [request({ a: 1 })]),
  arrives("a notification arrives as it was written", () => [
    { jsonrpc: "2.0", method: "m", params: { a: 1 } },
  ]),
  arrives("a result arrives as it was written", () => [result({ a: 1 })]),
  arrives("an error arrives with its code, message and data", () => [
    { jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "no", data: { a: [1] } } },
    { jsonrpc: "2.0", id: 1, error: { code: 7, message: "" } },
  ]),
  arrives("an error without a readable id arrives", () => [
    { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "no" } },
  ]),
  arrives("ids keep their JSON type and value", () =>
    [0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, "1", "", "a b", "é", "x".repeat(256)].map(
      (id) => ({
        jsonrpc: "2.0",
        id,
        method: "m",
      }),
    ),
  ),
  {
    ...arrives("a batch arrives as a batch", () => [
      [request({ a: 1 }), numbered(1), request({ a: 2 })],
      [numbered(2)],
    ]),
    applies: ({ batches }) => batches !== false,
  },
];

const sizes: Check[] = [
  arrives("a huge string arrives", ({ hugeBytes = 4 * 1024 * 1024 }) => [
    request({ text: "x".repeat(hugeBytes) }),
  ]),
  arrives(
    "a huge text outside of ASCII arrives, however its bytes are cut",
    ({ hugeBytes = 4 * 1024 * 1024 }) => [request({ text: "aé漢👍".repeat(hugeBytes / 10) })],
  ),
  arrives("a message with very many members arrives", () => [
    request(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`member ${n}`, { n, ok: true }]))),
  ]),
  {
    name: "a huge message does not disturb its neighbors",
    run: (factory, { hugeBytes = 4 * 1024 * 1024 }) =>
      withPair(factory, async ({ left, right }) => {
        const writes = [
          left.write(numbered(0)),
          left.write(numbered(1, "x".repeat(hugeBytes))),
          left.write(numbered(2)),
        ];
        for (const n of [0, 1, 2]) {
          const message = await right.read();
          expect(message !== undefined && "params" in message, "A message is missing.");
          expectEqual((message.params as { n: number }).n, n, "The number of the message");
        }
        await Promise.all(writes);
      }),
  },
];

const isolation: Check[] = [
  {
    name: "a change of the object after it was written is not seen by the reader",
    applies: ({ shared }) => shared !== true,
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const params = { n: 1, list: [1] };
        const written = left.write({ jsonrpc: "2.0", method: "m", params });
        params.n = 2;
        params.list.push(2);
        const [message] = await Promise.all([right.read(), written]);
        expectEqual(message, { jsonrpc: "2.0", method: "m", params: { n: 1, list: [1] } }, "What was read");
      }),
  },
  {
    name: "writing does not change the message",
    run: (factory) =>
      withPair(factory, async (pair) => {
        const message = Object.freeze(request(Object.freeze({ list: Object.freeze([1, 2]) })));
        await expectDelivery(pair, message);
        expectEqual(message, request({ list: [1, 2] }), "The message after it was written");
      }),
  },
  {
    name: "what JSON cannot carry is refused, and the stream lives on",
    applies: ({ shared }) => shared !== true,
    run: (factory) =>
      withPair(factory, async (pair) => {
        const cycle: { self?: object } = {};
        cycle.self = cycle;
        await expectLocalError(
          pair.left.write(request(cycle)),
          "NOT_SERIALIZABLE",
          "write of a cycle must reject, as encode(message) does",
        );
        await expectLocalError(
          pair.left.write(result(1n)),
          "NOT_SERIALIZABLE",
          "write of a bigint must reject, as encode(message) does",
        );
        await expectLocalError(
          pair.left.write(result(() => 1)),
          "NOT_SERIALIZABLE",
          "write of a function must reject, as encode(message) does",
        );
        await expectDelivery(pair, numbered(1));
      }),
  },
];

const malformed: Check[] = [
  ["text that is no JSON", ["{", "nonsense", '{"jsonrpc":"2.0","method":"m"', "\u0000"], -32_700],
  [
    "JSON that is not a message",
    ["{}", "1", '"text"', "null", "[]", '{"jsonrpc":"1.0","id":1,"method":"m"}'],
    -32_600,
  ],
].map(([what, frames, code]) => ({
  name: `${String(what)} is a value, not a failure, and reading goes on`,
  applies: ({ inject }: ConformanceOptions) => inject !== undefined,
  run: (factory, { inject }) =>
    withPair(factory, async (pair) => {
      for (const frame of frames as readonly string[]) {
        await inject?.(pair, frame);
        const read = await pair.right.read();
        expect(
          read !== undefined && "malformed" in read,
          `read() must return { malformed } for ${JSON.stringify(frame)}, as decode(text) does.`,
        );
        expectEqual(read.malformed.code, code, `The code for ${JSON.stringify(frame)}`);
      }
      await expectDelivery(pair, numbered(1));
    }),
})) satisfies Check[];

/** What is written is what is read. */
export const delivery: readonly Check[] = [
  ...kinds,
  ...values,
  ...texts,
  ...sizes,
  ...isolation,
  ...malformed,
];
