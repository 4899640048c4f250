import { expect, test } from "vitest";

import { textFor } from "../src/engine/refusal.ts";
import { createBelonging } from "../src/page/belonging.ts";
import { parseFilter } from "../src/page/filter.ts";
import { branchFor, initialOf, resolve, shapeOf } from "../src/page/form/shape.ts";
import { validate } from "../src/page/form/validate.ts";
import { diffLines } from "../src/page/line-diff.ts";
import { stateOf } from "../src/page/parts/phase.ts";
import { createTimes } from "../src/page/percentiles.ts";
import { plainLine } from "../src/page/result/markdown.ts";
import { createShown } from "../src/page/shown.ts";
import { targetsOf } from "../src/page/views/targets.ts";
import type { Summary } from "../src/wire/summary.ts";

const line = (rest: Partial<Summary>): Summary => ({
  seq: 1,
  at: 0,
  connection: 0,
  kind: "request",
  preview: "",
  bytes: 10,
  lanes: 0,
  ...rest,
});

test.each([
  ["tool:fore", { method: "tools/call", subject: "forecast" }, true],
  ["tool:fore", { method: "prompts/get", subject: "forecast" }, false],
  ["method:call -tool:fore", { method: "tools/call", subject: "other" }, true],
  ["status:open", {}, true],
  ["status:error", { kind: "problem" }, true],
  ["era:modern", { era: "modern" }, true],
  ["ms:>100", { kind: "response", ms: 150 }, true],
  ["bytes:<10", {}, false],
  ['"two words"', { preview: "some two words here" }, true],
  ["unknown:thing", { preview: "unknown:thing" }, true],
  ["", {}, true],
] as const)("the filter %s", (filter, rest, matches) => {
  expect(parseFilter(filter)(line(rest), undefined)).toBe(matches);
});

test("the status of a request is that of its response", () => {
  const answer = line({ kind: "response", outcome: "failed" });
  expect(parseFilter("status:failed")(line({}), answer)).toBe(true);
  expect(parseFilter("status:cancelled")(line({}), line({ kind: "notification" }))).toBe(true);
  expect(parseFilter("status:lost")(line({}), line({ kind: "end" }))).toBe(true);
});

test("a connection that was lost is red, one that the person ended is not", () => {
  expect(stateOf({ phase: "closed", reason: "exit code 3" }).style).toBe("failed");
  expect(stateOf({ phase: "closed" })).toEqual({ words: "disconnected", style: "closed" });
});

test("a session that is open is connected, unless the person is logged out", () => {
  const login = { phase: "required", scopes: [] } as const;
  expect(stateOf({ phase: "open", login: { ...login, isFurther: true } }).words).toBe("connected");
  expect(stateOf({ phase: "open", login: { ...login, isLoggedOut: true } }).words).toBe("login required");
});

test("the title of a tool can stand among its annotations", () => {
  const tools = [{ name: "book", annotations: { title: "Book a room" } }];
  const found = targetsOf({ tools, prompts: [], resources: [], resourceTemplates: [], problems: [] });
  expect(found[0]?.title).toBe("Book a room");
});

test("a description in one line has no signs of Markdown", () => {
  expect(plainLine("# Books a **room**\n\nFor `n` nights.")).toBe("Books a room");
  expect(plainLine("a * b * c")).toBe("a * b * c");
});

test("errors are told without advice for programmers", () => {
  const silent = 'The call of "initialize" timed out: no response for 60000 ms (timeoutMs). Increase it.';
  const before =
    'Before, server/discover failed: The call of "server/discover" timed out: no response for 60000 ms (timeoutMs). Increase it.';
  expect(textFor(`${silent} ${before}`)).toBe('The call of "initialize" timed out: no response for 60 s.');
});

const root = {
  type: "object",
  required: ["tree", "when", "kind"],
  properties: {
    tree: { $ref: "#/$defs/node" },
    when: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
    kind: {
      oneOf: [
        { const: "a", title: "First" },
        { const: "b", title: "Second" },
      ],
    },
    tags: { type: "array", uniqueItems: true, items: { enum: ["x", "y"] } },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
    either: { type: ["string", "null"], default: null },
    both: {
      allOf: [
        { properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { type: "number" } } },
      ],
    },
    shape: {
      oneOf: [
        { properties: { type: { const: "circle" }, r: { type: "number" } }, required: ["type", "r"] },
        { properties: { type: { const: "square" }, side: { type: "number" } }, required: ["type", "side"] },
      ],
    },
  },
  $defs: {
    node: {
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
      required: ["name"],
    },
  },
};

const shape = (name: keyof typeof root.properties): ReturnType<typeof shapeOf> =>
  shapeOf(resolve(root.properties[name], root), root);

test("schemas with references, unions, null and tuples become the elements of a form", () => {
  expect(shape("tree")).toMatchObject({
    kind: "object",
    properties: [{ name: "name", required: true }, { name: "children" }],
  });
  expect(shape("when")).toMatchObject({ kind: "union", branches: [{ title: "string" }, { title: "null" }] });
  expect(shape("kind")).toEqual({
    kind: "choice",
    options: [
      { title: "First", value: "a" },
      { title: "Second", value: "b" },
    ],
  });
  expect(shape("tags")).toMatchObject({ kind: "many" });
  expect(shape("pair")).toMatchObject({ kind: "array", items: undefined });
  expect(shape("either")).toMatchObject({ kind: "union" });
  expect(shape("both")).toMatchObject({
    kind: "object",
    properties: [{ name: "a", required: true }, { name: "b" }],
  });
  const union = shape("shape");
  expect(union).toMatchObject({
    kind: "union",
    branches: [{ title: "type: circle" }, { title: "type: square" }],
  });
  expect(union.kind === "union" && branchFor({ type: "square", side: 1 }, union.branches, root)).toBe(1);
});

test("a form starts with defaults, and leaves to the person what is required", () => {
  const initial = initialOf(root, root);
  expect(initial).toEqual({ tree: {}, either: null });
  expect([...validate(root, initial).errors]).toEqual(
    expect.arrayContaining([
      ["/tree/name", "Enter a value."],
      ["/kind", "Enter a value."],
    ]),
  );
});

test("a date of a form that is added and left empty is not valid", () => {
  const dated = { properties: { arrival: { type: "string", format: "date" } } };
  expect([...validate(dated, { arrival: "" }, "assert").errors]).toEqual([["/arrival", "Enter a value."]]);
  expect(validate(dated, { arrival: "2026-11-29" }, "assert").errors.size).toBe(0);
});

test("a schema that refers to itself has an end", () => {
  const endless = { $ref: "#" };
  expect(shapeOf(resolve(endless, endless), endless).kind).toBe("any");
  const deep = { type: "object", required: ["next"], properties: { next: { $ref: "#" } } };
  expect(JSON.stringify(initialOf(deep, deep)).length).toBeLessThan(1000);
});

test("what is wrong is named where it is, and an unusable schema is no crash", () => {
  const { errors } = validate(root, { tree: {}, when: 1, kind: "c" });
  expect([...errors.keys()]).toEqual(expect.arrayContaining(["/tree/name", "/kind"]));
  expect(validate({ type: "nothing" }, {}).schemaProblem).toBeDefined();
});

test("a difference keeps equal lines, and shows changed ones", () => {
  expect(diffLines("a\nb\nc", "a\nx\nc").map(({ sign, text }) => sign + text)).toEqual([
    " a",
    "-b",
    "+x",
    " c",
  ]);
});

test("percentiles are by tool, the slowest first, also when times are added later", () => {
  const times = createTimes();
  const add = (ms: number): void =>
    times.add(line({ kind: "response", method: "tools/call", subject: "slow", ms, outcome: "ok" }));
  [100, 2].forEach(add);
  times.read();
  [1, 3].forEach(add);
  times.add(line({ kind: "response", method: "ping", ms: 1, outcome: "error" }));
  expect(times.read()).toMatchObject([
    { name: "tools/call slow", count: 4, p50: 2, p95: 100, errors: 0 },
    { name: "ping", count: 1, errors: 1 },
  ]);
  times.clear();
  expect(times.read()).toEqual([]);
});

test.each(["status:open", "status:ok", "ms:>10", "-status:ok", "", "method:b"])(
  "the filter %s shows the same lines whether they come one by one or together",
  (filter) => {
    const all = Array.from({ length: 40 }, (_, index): Summary => {
      const seq = index + 1;
      return index % 4 < 2
        ? line({ seq, method: index % 8 < 4 ? "a" : "b" })
        : line({
            seq,
            kind: "response",
            request: seq - 2,
            ms: index,
            outcome: index % 3 === 0 ? "ok" : "error",
          });
    });
    const answers = new Map<number, Summary>();
    const lines: Summary[] = [];
    const growing = createShown();
    for (const one of all) {
      lines.push(one);
      if (one.request !== undefined) {
        answers.set(one.request, one);
      }
      growing.of(filter, lines, answers);
    }
    const wanted = all.filter((one) => parseFilter(filter)(one, answers.get(one.seq)));
    const { lines: shown, requests } = growing.of(filter, lines, answers);
    expect(shown).toEqual(wanted);
    expect(requests).toEqual(wanted.filter(({ kind }) => kind === "request"));
  },
);

test("the index of a request keeps its first lines and the newest one", () => {
  const index = createBelonging();
  for (let seq = 2; seq < 300; seq++) {
    index.add(line({ seq, kind: "notification", request: 1 }));
  }
  index.add(line({ seq: 300, continues: 1 }));
  expect(index.of(1)).toHaveLength(100);
  expect([index.of(1)[0]?.seq, index.of(1).at(-1)?.seq]).toEqual([2, 300]);
});
