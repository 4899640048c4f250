import fc from "fast-check";
import { expect, test } from "vitest";

import { copyValue, notCopied } from "../src/codec/copy-value.ts";
import { decode } from "../src/decode.ts";
import { encode, type Message } from "../src/index.ts";
import { copyOf, extendMember, prepareMember, prepareResult } from "../src/transport-kit.ts";

test.each([1, "a", 'quo"te'])(
  "a prepared result is written as it was, with the id %j of each request",
  (id) => {
    const result = prepareResult({ tools: [{ name: "é\n" }], nextCursor: "1" });
    const message = { jsonrpc: "2.0", id, result } as const;
    expect(encode(message)).toBe(JSON.stringify(message));
    expect(decode(encode(message))).toEqual(message);
    expect(Object.isFrozen(result)).toBe(true);
  },
);

test("a copy of a prepared result is written anew", () => {
  const result = prepareResult({ a: 1 });
  expect(encode({ jsonrpc: "2.0", id: 1, result: { ...result, b: 2 } })).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"a":1,"b":2}}',
  );
});

test("prepared results in a batch, and in their own JSON, are ordinary objects", () => {
  const result = prepareResult({ a: 1 });
  const message = { jsonrpc: "2.0", id: 1, result } as const;
  expect(encode([message, message])).toBe(JSON.stringify([message, message]));
});

test.each<[string, (list: object) => Message]>([
  ["a result", (result) => ({ jsonrpc: "2.0", id: 1, result })],
  ["params", (params) => ({ jsonrpc: "2.0", method: "m", params })],
])("the indices of a list that is %s are not listed", (_, message) => {
  let listings = 0;
  const list = new Proxy([1, 2], {
    ownKeys(target) {
      listings++;
      return Reflect.ownKeys(target);
    },
  });
  expect(encode(message(list))).toBe(JSON.stringify(message([1, 2])));
  expect(listings).toBe(0);
});

const shared = prepareMember("_meta", { "io.example/who": { name: 'é"\n' } });
const others = fc.dictionary(fc.string(), fc.jsonValue());
const payload = fc.oneof(
  others.map((rest) => ({ _meta: shared, ...rest })),
  others.map((rest) => ({ ...rest, _meta: shared })),
  others.map((rest) => ({ other: shared, ...rest })),
);
const id = fc.oneof(fc.nat(), fc.string());
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ jsonrpc: fc.constant("2.0" as const), id, method: fc.string(), params: payload }),
  fc.record({ params: payload, method: fc.string(), jsonrpc: fc.constant("2.0" as const) }),
  fc.record({ result: payload, id, jsonrpc: fc.constant("2.0" as const) }),
);

test("messages with a prepared member say the same as without it", () => {
  fc.assert(
    fc.property(message, (sent) => {
      expect(JSON.parse(encode(sent))).toEqual(JSON.parse(JSON.stringify(sent)));
    }),
  );
});

test("a prepared member is frozen, and its text is copied from where it comes first", () => {
  let written = 0;
  const value = {
    toJSON(): string {
      written++;
      return "text";
    },
  };
  const member = prepareMember("_meta", value);
  expect(Object.isFrozen(member)).toBe(true);
  expect(encode({ jsonrpc: "2.0", method: "m", params: { _meta: member } })).toBe(
    '{"jsonrpc":"2.0","method":"m","params":{"_meta":"text"}}',
  );
  expect(encode({ jsonrpc: "2.0", id: 1, method: "m", params: { _meta: member, a: 1 } })).toBe(
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"_meta":"text"}}',
  );
  expect(encode({ jsonrpc: "2.0", id: "a", result: { _meta: member, a: {} } })).toBe(
    '{"jsonrpc":"2.0","id":"a","result":{"a":{},"_meta":"text"}}',
  );
  expect(written).toBe(1);
});

test("an extended member says the same written at once, later, or without preparation", () => {
  const token = fc.oneof(fc.nat(), fc.string());
  fc.assert(
    fc.property(token, token, others, (first, second, rest) => {
      const [one, other] = [first, second].map(extendMember(shared, "progressToken"));
      for (const [extended, value] of [[other, second] as const, [one, first] as const]) {
        const params = { _meta: extended, ...rest };
        const sent = JSON.parse(encode({ jsonrpc: "2.0", method: "m", params })) as object;
        const _meta = { progressToken: value, ...shared };
        expect(sent).toEqual(
          JSON.parse(JSON.stringify({ jsonrpc: "2.0", method: "m", params: { _meta, ...rest } })),
        );
      }
    }),
  );
});

test.each<[string, (member: Record<string, unknown>) => void]>([
  ["changed", (member) => (member["progressToken"] = "another")],
  ["added", (member) => (member["more"] = true)],
  ["removed", (member) => delete member["progressToken"]],
  [
    "renamed",
    (member) => {
      delete member["progressToken"];
      member["token"] = 1;
    },
  ],
])("an extended member with a property that was %s is written as it is", (_, change) => {
  const extended = extendMember(prepareMember("_meta", { a: 1, b: { c: 2 } }), "progressToken")(1) as Record<
    string,
    unknown
  >;
  change(extended);
  const message = { jsonrpc: "2.0" as const, method: "m", params: { _meta: extended, x: 1 } };
  expect(JSON.parse(encode(message))).toEqual(JSON.parse(JSON.stringify(message)));
});

test("the text of a member is not serialized again when it is extended", () => {
  let written = 0;
  const counted = {
    toJSON(): string {
      written++;
      return "text";
    },
  };
  const extended = extendMember(prepareMember("_meta", { counted }), "progressToken");
  for (const progressToken of [1, 'a"']) {
    const params = { _meta: extended(progressToken), a: 1 };
    expect(encode({ jsonrpc: "2.0", method: "m", params })).toBe(
      `{"jsonrpc":"2.0","method":"m","params":{"a":1,"_meta":{"progressToken":${JSON.stringify(progressToken)},"counted":"text"}}}`,
    );
  }
  expect(written).toBe(1);
});

test("params that write themselves are not taken apart for a prepared member", () => {
  const params = { _meta: shared, secret: 1, toJSON: () => ({ seen: 2 }) };
  expect(encode({ jsonrpc: "2.0", method: "m", params })).toBe(
    '{"jsonrpc":"2.0","method":"m","params":{"seen":2}}',
  );
});

const anyId = fc.oneof(fc.nat(), fc.string(), fc.constant(undefined));
const plain: fc.Arbitrary<Message> = fc.oneof(
  fc.record(
    {
      jsonrpc: fc.constant("2.0" as const),
      id: anyId,
      method: fc.string(),
      params: fc.oneof(others, fc.array(fc.jsonValue()), fc.constant(undefined)),
    },
    { requiredKeys: ["jsonrpc", "method"] },
  ) as fc.Arbitrary<Message>,
  fc.record({ jsonrpc: fc.constant("2.0" as const), id, result: fc.jsonValue() }),
  fc.record({
    jsonrpc: fc.constant("2.0" as const),
    id,
    result: fc.jsonValue(),
    // Members of other names go out with the message.
    extension: fc.jsonValue(),
  }),
  fc.record({
    jsonrpc: fc.constant("2.0" as const),
    id: fc.oneof(id, fc.constant(null)),
    error: fc.record({ code: fc.integer(), message: fc.string() }),
  }),
);

test("every message is written and copied as JSON would", () => {
  fc.assert(
    fc.property(fc.oneof(plain, message), (sent) => {
      const expected: unknown = JSON.parse(JSON.stringify(sent));
      expect(JSON.parse(encode(sent))).toStrictEqual(expected);
      expect(copyOf(sent)).toStrictEqual(expected);
      expect(JSON.parse(encode([sent, sent]))).toStrictEqual([expected, expected]);
      expect(copyOf([sent])).toStrictEqual([expected]);
    }),
  );
});

const oddities = fc.oneof(
  fc.constantFrom(
    -0,
    NaN,
    undefined,
    () => 1,
    Symbol("s"),
    new Date(0),
    new Map(),
    new String("s"),
    "\ud800",
  ),
  fc.constantFrom(Object.create(null), Object.create({ inherited: 1 }), { toJSON: () => 2 }, { toJSON: 3 }),
  fc.constantFrom(
    Object.assign([], { length: 2 }),
    Object.assign([1], { toJSON: () => [] }),
    JSON.parse('{"__proto__":{"a":1}}'),
  ),
);
const anyResult = fc.anything({ values: [fc.integer(), fc.double(), fc.string(), oddities], maxDepth: 4 });

const throwing = {
  get value(): never {
    throw new Error("No value");
  },
};

test("a result of any values is copied as JSON would", () => {
  fc.assert(
    fc.property(anyResult, (result) => {
      const text = JSON.stringify(result) as string | undefined;
      fc.pre(text !== undefined);
      expect(copyOf({ jsonrpc: "2.0", id: 1, result })).toStrictEqual({
        jsonrpc: "2.0",
        id: 1,
        result: JSON.parse(text ?? ""),
      });
    }),
  );
});

test.each<[string, () => unknown]>([
  [
    "an array with an iterator of its own",
    () => Object.assign([1, 2], { [Symbol.iterator]: () => [][Symbol.iterator]() }),
  ],
  ["a proxy that has every property", () => ({ value: new Proxy({}, { get: () => () => 1 }) })],
])("copied as JSON would is %s", (_, made) => {
  expect(copyOf({ jsonrpc: "2.0", id: 1, result: made() })).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: JSON.parse(JSON.stringify(made())),
  });
});

test("an array whose length JSON may refuse is left to JSON", () => {
  const ids: unknown[] = [];
  ids[2_000_000] = 1;
  expect(copyValue({ ids })).toBe(notCopied);
  expect(copyOf({ jsonrpc: "2.0", id: 1, result: ids })).toHaveProperty("result.2000000", 1);
});

test("a value that is a million values by its references is left to JSON", () => {
  const row = Array.from({ length: 1000 }, () => 1);
  expect(copyValue({ rows: Array.from({ length: 990 }, () => row) })).not.toBe(notCopied);
  expect(copyValue({ rows: Array.from({ length: 1000 }, () => row) })).toBe(notCopied);
  let doubled: unknown = {};
  for (let level = 0; level < 40; level++) {
    doubled = { left: doubled, right: doubled };
  }
  expect(copyValue(doubled)).toBe(notCopied);
});

test("names that a locked Object.prototype has are copied", () => {
  const result = { properties: { valueOf: { type: "string" } } };
  const allow = (writable: boolean): boolean =>
    Reflect.defineProperty(Object.prototype, "valueOf", { writable });
  allow(false);
  try {
    expect(copyOf({ jsonrpc: "2.0", id: 1, result })).toStrictEqual({ jsonrpc: "2.0", id: 1, result });
  } finally {
    allow(true);
  }
});

test("a copy shares no object with the message, however deep it is", () => {
  let deep: object = { end: [] };
  for (let level = 0; level < 200; level++) {
    deep = level % 2 === 0 ? { deep } : [deep];
  }
  const shared = { a: 1 };
  const message = { jsonrpc: "2.0", method: "m", params: { deep, one: shared, two: shared } } as const;
  const { params } = copyOf(message) as unknown as { params: { one: object; two: object } };
  expect(params).toStrictEqual(message.params);
  expect(params.one).not.toBe(shared);
  expect(params.two).not.toBe(params.one);
});

test.each([
  ["params that are null", { jsonrpc: "2.0", method: "m", params: null }],
  ["params that are a function", { jsonrpc: "2.0", method: "m", params: () => 1 }],
  ["a result that is a function", { jsonrpc: "2.0", id: 1, result: () => 1 }],
  ["a result that is absent", { jsonrpc: "2.0", id: 1, result: undefined }],
  ["params that are a text in JSON", { jsonrpc: "2.0", method: "m", params: { toJSON: () => "text" } }],
  ["a cycle", { jsonrpc: "2.0", method: "m", params: cycle() }],
  ["a getter that throws, in params", { jsonrpc: "2.0", method: "m", params: { nested: throwing } }],
  ["a getter that throws, in a result", { jsonrpc: "2.0", id: 1, result: [throwing] }],
  ["a bigint", { jsonrpc: "2.0", id: 1, result: 1n }],
  ["a bigint in a message with another member", { jsonrpc: "2.0", id: 1, result: 1n, other: 1 }],
  [
    "an absent result in a message with another member",
    { jsonrpc: "2.0", id: 1, result: undefined, other: 1 },
  ],
])("neither written nor copied is %s", (_, broken) => {
  for (const sent of [broken, [broken]] as unknown as Message[]) {
    for (const write of [encode, copyOf]) {
      expect(() => write(sent)).toThrow(expect.objectContaining({ code: "NOT_SERIALIZABLE" }));
    }
  }
});

function cycle(): object {
  const params: Record<string, unknown> = {};
  params["self"] = params;
  return params;
}
