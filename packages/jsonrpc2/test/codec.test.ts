import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { classify } from "../src/codec/classify.ts";
import { createDecoder, decode } from "../src/decode.ts";
import { defaultLimits, encode, isLocalError, type Incoming, type Message } from "../src/index.ts";

function code(input: Incoming): number | undefined {
  return "malformed" in input && !("jsonrpc" in input) ? input.malformed.code : undefined;
}

const parseErrors = [
  "",
  " ",
  "{",
  "nonsense",
  '{"jsonrpc":"2.0","method":"m"',
  "'a'",
  "NaN",
  '{"a":1,}',
  "\u0000",
  '{"jsonrpc":"2.0","method":"a\nb"}',
];
const invalidRequests = [
  "1",
  "null",
  '"text"',
  "true",
  "{}",
  "[]",
  "[[]]".slice(1, 3),
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"1.0","id":1,"method":"m"}',
  '{"jsonrpc":2,"id":1,"method":"m"}',
  '{"id":1,"method":"m"}',
  '{"jsonrpc":"2.0","id":1,"method":7}',
  '{"jsonrpc":"2.0","id":1,"method":null}',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":1}',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":"text"}',
  '{"jsonrpc":"2.0","id":1,"method":"m","result":1}',
  '{"jsonrpc":"2.0","id":1,"method":"m","error":{"code":1,"message":"m"}}',
  '{"jsonrpc":"2.0","result":1}',
  '{"jsonrpc":"2.0","id":null,"result":1}',
  '{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}',
  '{"jsonrpc":"2.0","id":1,"error":"text"}',
  '{"jsonrpc":"2.0","id":1,"error":null}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":1}}',
  // T-007: the case of a member's name counts.
  '{"JSONRPC":"2.0","id":1,"method":"m"}',
  '{"jsonrpc":"2.0","id":1,"Method":"m"}',
];

test.each(parseErrors)("text that is not JSON is malformed with -32700: %j", (text) => {
  expect(code(decode(text))).toBe(-32_700);
});

test.each(invalidRequests)("JSON that is no message is malformed with -32600: %s", (text) => {
  expect(code(decode(text))).toBe(-32_600);
});

test("a batch is a value whose members keep their place, malformed ones too", () => {
  const batch = decode('[{"jsonrpc":"2.0","method":"m"},1,{"jsonrpc":"2.0","id":"a","result":null}]');
  expect(batch).toEqual({
    batch: [
      { jsonrpc: "2.0", method: "m" },
      {
        malformed: { code: -32_600, message: "Invalid Request: a message must be a JSON object" },
        id: undefined,
      },
      { jsonrpc: "2.0", id: "a", result: null },
    ],
  });
});

test("a batch of batches, an empty batch and one beyond the limit are malformed (T-013)", () => {
  const one = '{"jsonrpc":"2.0","method":"m"}';
  const batchOf = (length: number): string => `[${Array.from({ length }, () => one).join()}]`;
  expect(code(decode("[]"))).toBe(-32_600);
  expect(decode(`[[${one}]]`)).toMatchObject({ batch: [{ malformed: { code: -32_600 } }] });
  expect(decode(batchOf(100))).toHaveProperty("batch.length", 100);
  expect(code(decode(batchOf(101)))).toBe(-32_600);
  expect(createDecoder({ maxBatch: 101 })(batchOf(101))).toHaveProperty("batch.length", 101);
});

test.each([
  ["1", 1],
  ["0", 0],
  ["-1", -1],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ['"1"', "1"],
  ['""', ""],
  ['"a\\"b"', 'a"b'],
  ['"\\ud800"', "\uD800"],
])("the id %s keeps its value and type (R-101, R-104, T-010)", (text, id) => {
  const message = decode(`{"jsonrpc":"2.0","id":${text},"method":"m"}`);
  expect(message).toStrictEqual({ jsonrpc: "2.0", id, method: "m" });
  expect(encode(message as Message)).toContain(`"id":${text},`);
});

test.each([
  "null",
  "true",
  "[]",
  "{}",
  "1.5",
  "-0",
  "1e3",
  "1.0",
  "1E2",
  "9007199254740993",
  "12345678901234567890",
  "1e400",
  `"${"x".repeat(257)}"`,
])("the id %s is refused, without an id in the answer (T-010)", (id) => {
  for (const text of [
    `{"jsonrpc":"2.0","id":${id},"method":"m"}`,
    `{ "method" : "m", "params": {"id": 1}, "id" :\t${id} , "jsonrpc" : "2.0" }`,
  ]) {
    const message = decode(text);
    expect(code(message)).toBe(-32_600);
    expect(message).toHaveProperty("id", undefined);
  }
});

test("a fraction or an exponent inside the parameters is nobody's id", () => {
  const params = { id: 1.5, list: [{ id: 1e21 }], text: '"id":1e3' };
  expect(decode(`{"params":${JSON.stringify(params)},"method":"m","jsonrpc":"2.0","id":7}`)).toEqual({
    jsonrpc: "2.0",
    id: 7,
    method: "m",
    params,
  });
});

test("an error response may lack a readable id (R-106, R-107)", () => {
  const error = { code: -32_700, message: "no" };
  expect(decode(JSON.stringify({ jsonrpc: "2.0", id: null, error }))).toEqual({
    jsonrpc: "2.0",
    id: null,
    error,
  });
  expect(decode(JSON.stringify({ jsonrpc: "2.0", error }))).toEqual({ jsonrpc: "2.0", error });
});

test("a broken response is marked as one, with its id, and never as a request", () => {
  expect(decode('{"jsonrpc":"2.0","id":3,"error":{"code":"x","message":"m"}}')).toMatchObject({
    response: true,
    id: 3,
  });
  expect(decode('{"jsonrpc":"2.0","id":3,"result":1,"error":{"code":1,"message":"m"}}')).toMatchObject({
    response: true,
    id: 3,
  });
  expect(decode('{"jsonrpc":"2.0","id":3,"method":7}')).not.toHaveProperty("response");
});

const duplicates = [
  '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}',
  '{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}',
  '{"jsonrpc":"2.0","id":1,"method":"m","id":2}',
  '{"jsonrpc":"2.0","method":"safe","id":1,"method":"evil"}',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":{},"params":{"a":1}}',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[{}]},"id":2}',
  '{"jsonrpc":"2.0","id":1,"method":"m","params":{},"m\\u0065thod":"evil"}',
  '{"jsonrpc":"2.0","id":1,"m\\u0065thod":"evil","method":"m"}',
  '{"id":1,"method":"m","params":{},"jsonrpc":"2.0","id":2}',
  '{ "jsonrpc" : "2.0" , "id":1, "method" : "m", "method"\n:"evil"}',
  '[{"jsonrpc":"2.0","id":1,"method":"m","method":"evil"}]',
  '{"jsonrpc":"2.0","id":1,"result":1,"result":2}',
  '{"result":{},"jsonrpc":"2.0","id":1,"result":2}',
  '{"jsonrpc":"2.0","id":1,"method":"m","extra":1,"extra":2}'.replace("extra", "\\u0065xtra"),
];

test.each(duplicates)("a member of the envelope that occurs twice is refused (T-006): %s", (text) => {
  expect(code(decode(text))).toBe(-32_600);
});

test("names of members may occur again inside the parameters, in strings and in other members of a batch", () => {
  for (const text of [
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"id":1,"method":"x","params":{"params":1}}}',
    '{"method":"m","params":{"id":1,"method":"x"},"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":"m","params":["\\"id\\":1","}","id","{\\"method\\":"]}',
    '[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]',
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2}}',
  ]) {
    expect(decode(text)).not.toHaveProperty("malformed");
  }
});

test("__proto__ and constructor are ordinary members and pollute nothing (T-008)", () => {
  const text =
    '{"jsonrpc":"2.0","id":1,"method":"m","__proto__":{"method":"evil","polluted":1},"params":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
  const message = decode(text) as unknown as { params: object };
  expect({}).not.toHaveProperty("polluted");
  expect(Object.getPrototypeOf(message.params)).toBe(Object.prototype);
  expect(Object.hasOwn(message.params, "__proto__")).toBe(true);
  expect(encode(message as Message)).toContain('"__proto__":{"polluted":1}');
  expect(code(decode('{"jsonrpc":"2.0","id":1,"__proto__":{"method":"evil"}}'))).toBe(-32_600);
});

test("a message whose envelope has members named malformed or batch is still a message", () => {
  const message = decode('{"jsonrpc":"2.0","id":1,"method":"m","malformed":{"code":1},"batch":7}');
  expect(code(message)).toBeUndefined();
  expect(message).toMatchObject({ method: "m" });
});

test("nesting is limited, and deep input exhausts no stack (T-003)", () => {
  const nested = (levels: number): string =>
    `{"jsonrpc":"2.0","method":"m","params":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  expect(code(decode(nested(511)))).toBeUndefined();
  expect(code(decode(nested(512)))).toBe(-32_600);
  expect(code(decode(nested(1_000_000)))).toBe(-32_600);
  expect(code(createDecoder({ maxDepth: 2000 })(nested(3000)))).toBe(-32_600);
  expect(() => createDecoder({ maxDepth: 2001 })).toThrow(
    "limits.maxDepth must be an integer from 1 to 2000; got 2001.",
  );
  const objects = `{"jsonrpc":"2.0","method":"m","params":${'{"a":'.repeat(600)}1${"}".repeat(600)}}`;
  expect(code(decode(objects))).toBe(-32_600);
});

test("input longer than the limit is refused unread, with its id if that is within the first kilobyte", () => {
  const limited = createDecoder({ maxMessageBytes: 100 });
  const padding = "x".repeat(100);
  expect(limited(`{"jsonrpc":"2.0","id":7,"method":"m","params":["${padding}"]}`)).toMatchObject({
    malformed: { code: -32_600 },
    id: 7,
  });
  expect(limited(`{"jsonrpc":"2.0","id":7,"result":"${padding}"}`)).toMatchObject({ id: 7, response: true });
  expect(limited(new TextEncoder().encode(`{"jsonrpc":"2.0","id":"é","result":"${padding}"}`))).toMatchObject(
    {
      id: "é",
      response: true,
    },
  );
  expect(limited(`{"params":["${padding}"],"id":7`)).toMatchObject({ id: undefined });
  expect(limited(`{"jsonrpc":"2.0","method":"m","params":"${"x".repeat(56)}"}`)).toMatchObject({
    malformed: { message: expect.stringContaining("params") as string },
  });
});

test("bytes are decoded as UTF-8; a byte order mark is tolerated, other encodings are refused (R-111, T-017)", () => {
  const text = '{"jsonrpc":"2.0","method":"é漢👍"}';
  const bytes = new TextEncoder().encode(text);
  expect(decode(bytes)).toEqual({ jsonrpc: "2.0", method: "é漢👍" });
  expect(decode(Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes))).toEqual({ jsonrpc: "2.0", method: "é漢👍" });
  expect(decode(`\uFEFF${text}`)).toEqual({ jsonrpc: "2.0", method: "é漢👍" });
  for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe6, 0xbc]]) {
    const broken = Uint8Array.of(
      ...new TextEncoder().encode('{"jsonrpc":"2.0","method":"'),
      ...bad,
      0x22,
      0x7d,
    );
    expect(code(decode(broken))).toBe(-32_700);
  }
  expect(code(decode(new Uint8Array(new Uint16Array([0x7b, 0x7d]).buffer)))).toBe(-32_700);
});

test.each([
  ["a bigint", { jsonrpc: "2.0", id: 1, result: 1n }],
  ["a function", { jsonrpc: "2.0", id: 1, result: () => 1 }],
  ["a symbol", { jsonrpc: "2.0", id: 1, result: Symbol("s") }],
  ["nothing", { jsonrpc: "2.0", id: 1, result: undefined }],
  ["a toJSON that gives nothing", { jsonrpc: "2.0", id: 1, result: { toJSON: () => undefined } }],
  [
    "a toJSON that throws",
    {
      jsonrpc: "2.0",
      id: 1,
      result: {
        toJSON: () => {
          throw new Error("no");
        },
      },
    },
  ],
  ["parameters that become text", { jsonrpc: "2.0", method: "m", params: new Date(0) }],
  [
    "one of a batch",
    [
      { jsonrpc: "2.0", method: "m" },
      { jsonrpc: "2.0", id: 1, result: 1n },
    ],
  ],
])("encode refuses %s with NOT_SERIALIZABLE (T-014)", (_name, message) => {
  let error: unknown;
  try {
    encode(message as Message);
  } catch (caught) {
    error = caught;
  }
  expect(isLocalError(error, "NOT_SERIALIZABLE")).toBe(true);
});

const ids = fc.oneof(
  fc.maxSafeInteger().filter((id) => !Object.is(id, -0)),
  fc.string({ maxLength: 50, unit: "binary" }),
);
const json = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const params = fc
  .oneof(fc.array(json), fc.dictionary(fc.string(), json))
  .map((value) => JSON.parse(JSON.stringify(value)) as object);
const method = fc.string({ unit: "binary" });
const error = fc.record(
  { code: fc.integer(), message: fc.string(), data: json },
  { requiredKeys: ["code", "message"] },
);
const messages = fc.oneof(
  fc.record(
    { jsonrpc: fc.constant("2.0"), id: ids, method, params },
    { requiredKeys: ["jsonrpc", "id", "method"] },
  ),
  fc.record({ jsonrpc: fc.constant("2.0"), method, params }, { requiredKeys: ["jsonrpc", "method"] }),
  fc.record({ jsonrpc: fc.constant("2.0"), id: ids, result: json }),
  fc.record({ jsonrpc: fc.constant("2.0"), id: ids, error }),
) as fc.Arbitrary<Message>;

test("every message comes back from its text and its bytes, in any order of members, with any spacing", () => {
  fc.assert(
    fc.property(
      messages,
      fc.infiniteStream(fc.nat()),
      fc.constantFrom(undefined, 1, "\t"),
      (message, random, space) => {
        const members = Object.entries(message).toSorted(() => (random.next().value % 3) - 1);
        const text = JSON.stringify(Object.fromEntries(members), undefined, space);
        expect(decode(text)).toEqual(message);
        expect(decode(new TextEncoder().encode(encode(message)))).toEqual(message);
        expect(encode(message)).not.toMatch(/[\r\n]/);
      },
    ),
    { numRuns: samples(2000) },
  );
});

test("the strict decoder and plain JSON.parse agree on every message without duplicates", () => {
  const lax = (text: string): Incoming => classify(JSON.parse(text), defaultLimits);
  fc.assert(
    fc.property(fc.oneof(messages, json), (value) => {
      const text = JSON.stringify(value);
      expect(decode(text)).toEqual(lax(text));
    }),
    { numRuns: samples(2000) },
  );
});

test("decode never throws, whatever it is given", () => {
  const mangled = fc
    .tuple(messages, fc.nat(), fc.nat(3), fc.string({ maxLength: 4 }))
    .map(([message, at, removed, inserted]) => {
      const text = JSON.stringify(message);
      const cut = at % text.length;
      return text.slice(0, cut) + inserted + text.slice(cut + removed);
    });
  fc.assert(
    fc.property(fc.oneof(mangled, fc.string(), fc.uint8Array({ maxLength: 200 }), fc.json()), (input) => {
      expect(decode(input)).toBeTypeOf("object");
    }),
    { numRuns: samples(5000) },
  );
});

test("a member whose name does not begin with a quote is no JSON, however quickly it is read", () => {
  expect(decode('{"jsonrpc":"2.0","id":1,"method":"m",Xparams":{"a":1}}')).toMatchObject({
    malformed: { code: -32700 },
  });
});

const call = (params: string, id = 7): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"m","params":${params}}`;

test("a message of more values than allowed is refused before it is parsed, whatever they are (T-022)", () => {
  const limits = { maxValues: 1000 };
  const many: readonly string[] = [
    `[${"[],".repeat(600)}0]`,
    `[${"{},".repeat(600)}0]`,
    `[${"0,".repeat(1100)}0]`,
    `{${Array.from({ length: 1100 }, (_, index) => `"k${index}":1`).join(",")}}`,
    `${"[".repeat(400)}${"]".repeat(400)}`.replace(/^(.*)$/, "[$1,$1,$1]"),
    `[${'"a,b","\\",\\\\",'.repeat(600)}0]`,
  ];
  for (const params of many) {
    expect(decode(call(params), limits)).toEqual({
      malformed: { code: -32_600, message: "Invalid Request: more than 1000 values (maxValues)" },
      id: 7,
      limit: { name: "maxValues", maximum: 1000 },
    });
  }
  expect(code(decode(call(many[0] ?? "")))).toBe(undefined);
});

test("commas and brackets inside of strings are no values (T-022)", () => {
  const texts = [",".repeat(5000), "[{,".repeat(2000), '"],[{\\'.repeat(900), "\\".repeat(3001)];
  for (const text of texts) {
    const params = JSON.stringify([text, { [text]: text }]);
    expect(decode(call(params), { maxValues: 100 })).toEqual({
      jsonrpc: "2.0",
      id: 7,
      method: "m",
      params: JSON.parse(params) as unknown,
    });
  }
});

test("two megabytes of small values are refused by default, two megabytes of text is not (T-022)", () => {
  expect(code(decode(call(`[${"[],".repeat(600_000)}0]`)))).toBe(-32_600);
  expect(code(decode(call(JSON.stringify(["a,[{".repeat(600_000)]))))).toBe(undefined);
});

test("a long message may have more values than a short one, unless maxValues says how many", () => {
  const row = { id: 1, a: "x1", b: 0.5, c: null, d: true };
  const rows = call(JSON.stringify(Array.from({ length: 40_000 }, () => row)));
  expect(code(decode(rows))).toBe(undefined);
  expect(code(decode(rows, { maxValues: 100_000 }))).toBe(-32_600);
  expect(code(decode(call(`[${"1,".repeat(100_001)}0]`)))).toBe(-32_600);
  expect(code(decode(call(`[${"1,".repeat(100_001)}0]`), { maxValues: 200_000 }))).toBe(undefined);
});

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":{"a":NaN}}', -32_700],
  ['{"result":{"a":NaN},"jsonrpc":"2.0","id":7}', -32_700],
  ['{"id":7,"error":{', -32_700],
  [`{"jsonrpc":"2.0","id":7,"result":${"[".repeat(600)}${"]".repeat(600)}}`, -32_600],
  [`{"result":${"[".repeat(600)}${"]".repeat(600)},"jsonrpc":"2.0","id":7}`, -32_600],
])("an answer that cannot be read names its call, so that it need not wait: %.60s", (text, expected) => {
  expect(decode(text)).toEqual({
    malformed: { code: expected, message: expect.any(String) as string },
    id: 7,
    response: true,
    ...(expected === -32_600 ? { limit: { name: "maxDepth", maximum: 512 } } : {}),
  });
});

test.each([
  ['loading{"jsonrpc":"2.0","id":7,"result":{}}', 7],
  ['sent {"result":{"id":3},"jsonrpc":"2.0","id":"a"}', "a"],
  ['{"id":{"id":9,"result":1', 9],
])("an answer behind other text is pointed out, not taken (T-050b): %s", (text, stray) => {
  expect(decode(text)).toEqual({
    malformed: { code: -32_700, message: "Parse error: not valid JSON" },
    stray,
  });
});

test.each([
  'got {"jsonrpc":"2.0","id":7,"method":"m"}',
  'x{"jsonrpc":"2.0","result":1}',
  'x{"id":1e3,"result":1}',
  '{"jsonrpc":"2.0","id":7,"method":"m"',
  "{".repeat(1000),
  '{"id":'.repeat(1000),
])("other text that is no JSON points at no call: %.60s", (text) => {
  expect(decode(text)).toEqual({ malformed: { code: -32_700, message: "Parse error: not valid JSON" } });
});

const digits = fc.oneof(
  fc.nat().map(String),
  fc.constantFrom("0", "00", "01", "-1", "1.0", "1e3", "999999999999999", "1000000000000000"),
  fc.constantFrom("9007199254740991", "9007199254740993", '"1"', "null", ""),
);
const name = fc.oneof(
  fc.constantFrom("tools/call", "a.b", "rpc.$x", "", 'a"b', "a\\u0062", "a\\n", "é", "a b", "params"),
  fc.string(),
);
const members = fc.oneof(
  name.map((method) => `"method":"${method}","params":`),
  name.map((method) => `"method":"${method}","id":2,"params":`),
  fc.constantFrom('"result":', '"error":', '"params":', '"result" :', '"id":2,"result":'),
);
const payload = fc.constantFrom("{}", '{"a":1}', "[]", "1", '"text"', "{", '{},"id":3', "{}}", "");

test("a message says the same whether or not its head is written in the usual way", () => {
  fc.assert(
    fc.property(digits, members, payload, (idText, membersText, payloadText) => {
      const usual = `{"jsonrpc":"2.0","id":${idText},${membersText}${payloadText}}`;
      const unusual = `{ "jsonrpc"\t:"2.0" ,"id":${idText},${membersText}${payloadText}}`;
      const [one, other] = [decode(usual), decode(unusual)];
      expect(code(one)).toBe(code(other));
      if (code(one) === undefined) {
        expect(one).toStrictEqual(other);
      }
    }),
    { numRuns: samples(1000) },
  );
});
