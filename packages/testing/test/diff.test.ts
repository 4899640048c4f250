import { Server } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Definitions } from "../src/definitions/collect.ts";
import { diffDefinitions } from "../src/definitions/diff.ts";
import { formatLock, lockOf, parseLock } from "../src/definitions/lock.ts";
import { diffSchemas } from "../src/definitions/schema-diff.ts";
import { pair } from "../src/pair.ts";

const none: Definitions = { tools: [], prompts: [], resources: [], resourceTemplates: [] };

function tool(rest: object): Definitions {
  return { ...none, tools: [{ name: "t", inputSchema: { type: "object" }, ...rest }] };
}

function effects(before: unknown, after: unknown, role: "input" | "output" = "input"): string[] {
  return diffSchemas(before, after, "", role).map(({ effect, path }) => `${effect} ${path}`);
}

describe("the difference of two input schemas", () => {
  const text = { type: "string" };
  it.each<[string, unknown, unknown, string[]]>([
    ["a property that became required", { required: [] }, { required: ["a"] }, ["breaking /required"]],
    ["a property that is no longer required", { required: ["a"] }, {}, ["additive /required"]],
    ["a property that was removed", { properties: { a: text } }, {}, ["breaking /properties/a"]],
    ["a property that was added", {}, { properties: { "a/b": text } }, ["additive /properties/a~1b"]],
    ["a type with fewer values", { type: "number" }, { type: "integer" }, ["breaking /type"]],
    ["a type with more values", { type: "string" }, { type: ["string", "null"] }, ["additive /type"]],
    ["a smaller maximum", { maximum: 100 }, { maximum: 50 }, ["breaking /maximum"]],
    ["a larger maximum", { maximum: 50 }, { maximum: 100 }, ["additive /maximum"]],
    ["a larger minimum", { minLength: 1 }, { minLength: 2 }, ["breaking /minLength"]],
    ["a limit that was added", {}, { maxItems: 3 }, ["breaking /maxItems"]],
    ["a pattern that changed", { pattern: "a" }, { pattern: "b" }, ["breaking /pattern"]],
    ["a value that left an enum", { enum: [1, 2] }, { enum: [2] }, ["breaking /enum"]],
    ["a value that joined an enum", { enum: [1] }, { enum: [2, 1] }, ["additive /enum"]],
    ["values in another order", { enum: [1, 2] }, { enum: [2, 1] }, []],
    [
      "a branch that was removed",
      { anyOf: [text, { type: "null" }] },
      { anyOf: [text] },
      ["breaking /anyOf"],
    ],
    ["a branch that was added", { oneOf: [text] }, { oneOf: [{ type: "null" }, text] }, ["additive /oneOf"]],
    [
      "a branch that changed",
      { anyOf: [text, { maximum: 2 }] },
      { anyOf: [text, { maximum: 1 }] },
      ["breaking /anyOf/1/maximum"],
    ],
    [
      "other properties that are refused now",
      {},
      { additionalProperties: false },
      ["breaking /additionalProperties"],
    ],
    ["items that changed", { items: text }, { items: { type: "number" } }, ["breaking /items/type"]],
    ["texts", { title: "a" }, { title: "b", description: "c" }, ["cosmetic /title", "cosmetic /description"]],
    ["a default", { default: 1 }, { default: 2 }, ["additive /default"]],
    [
      "what a reference leads to",
      { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { maximum: 2 } } },
      { properties: { a: { maximum: 1 } } },
      ["breaking /properties/a/maximum"],
    ],
    [
      "what a reference with siblings leads to",
      { $ref: "#/$defs/a", title: "x", $defs: { a: { maximum: 2 } } },
      { $ref: "#/$defs/a", title: "x", $defs: { a: { maximum: 3 } } },
      ["additive /maximum"],
    ],
  ])("names %s", (_, before, after, expected) => {
    expect(effects(before, after)).toEqual(expected);
  });

  it("turns around for outputs, because programs read them", () => {
    expect(effects({ maximum: 1 }, { maximum: 2 }, "output")).toEqual(["breaking /maximum"]);
    expect(effects({ required: ["a"] }, {}, "output")).toEqual(["breaking /required"]);
    expect(effects({}, { required: ["a"] }, "output")).toEqual(["additive /required"]);
  });

  it("ends for schemas that contain themselves", () => {
    const list = (maximum: number): object => ({
      $ref: "#/$defs/node",
      $defs: { node: { properties: { value: { maximum }, next: { $ref: "#/$defs/node" } } } },
    });
    expect(effects(list(2), list(1))).toEqual(["breaking /properties/value/maximum"]);
    expect(effects({ $ref: "#" }, { $ref: "#" })).toEqual([]);
  });

  it("is empty for equal schemas, and never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(effects(one, structuredClone(one))).toEqual([]);
        effects(one, other);
      }),
    );
  });
});

describe("the difference of two servers", () => {
  it("names a lost safety hint before everything else", () => {
    const before = tool({ annotations: { readOnlyHint: true, title: "a" } });
    const after = { ...tool({ annotations: { title: "b" } }), prompts: [] };
    const changes = diffDefinitions({ ...before, prompts: [{ name: "p" }] }, after);
    expect(changes.map(({ effect, name, path }) => [effect, name, path])).toEqual([
      ["breaking", "t", "/annotations/readOnlyHint"],
      ["breaking", "p", ""],
      ["cosmetic", "t", "/annotations/title"],
    ]);
    expect(changes[0]?.message).toBe("The tool no longer promises that it changes nothing.");
  });

  it("calls a promise that is new additive", () => {
    const after = tool({ annotations: { destructiveHint: false } });
    expect(diffDefinitions(tool({}), after)).toMatchObject([{ effect: "additive" }]);
  });

  it("calls an output schema that is gone breaking, and a new one additive", () => {
    const promising = tool({ outputSchema: { type: "object" } });
    expect(diffDefinitions(promising, tool({}))).toMatchObject([{ effect: "breaking" }]);
    expect(diffDefinitions(tool({}), promising)).toMatchObject([{ effect: "additive" }]);
  });

  it("compares the arguments of prompts", () => {
    const prompt = (...args: object[]): Definitions => ({
      ...none,
      prompts: [{ name: "p", arguments: args as never }],
    });
    const [optional, required] = [{ name: "a" }, { name: "a", required: true }];
    expect(diffDefinitions(prompt(), prompt(optional))).toMatchObject([{ effect: "additive" }]);
    expect(diffDefinitions(prompt(), prompt(required))).toMatchObject([{ effect: "breaking" }]);
    expect(diffDefinitions(prompt(optional), prompt(required))).toMatchObject([{ effect: "breaking" }]);
    expect(diffDefinitions(prompt(required), prompt(optional))).toMatchObject([{ effect: "additive" }]);
    expect(diffDefinitions(prompt(optional), prompt())).toMatchObject([{ effect: "breaking" }]);
  });

  it("compares resources by their URI, and calls another media type breaking", () => {
    const resource = (mimeType: string, title: string): Definitions => ({
      ...none,
      resources: [{ name: "r", uri: "file:///r", mimeType, title }],
    });
    const changes = diffDefinitions(resource("text/plain", "a"), resource("text/html", "b"));
    expect(changes.map(({ effect, path }) => `${effect} ${path}`)).toEqual([
      "breaking /mimeType",
      "cosmetic /title",
    ]);
  });
});

describe.each(bothEras)("a lock of a server that speaks %s", (revision) => {
  it("is read as it was written, and shows no change", async () => {
    const server = new Server({ name: "any", version: "1.2.3" });
    server.addTool({ name: "b", input: { type: "object", properties: { n: { type: "number" } } } }, () => "");
    server.addPrompt({ name: "p" }, () => "");
    await using connected = await pair(server, { revision });
    const lock = parseLock(formatLock(await lockOf(connected.session)));
    expect(lock.server).toEqual({ name: "any", version: "1.2.3" });
    expect(diffDefinitions(lock.definitions, (await lockOf(connected.session)).definitions)).toEqual([]);
    server.removeTools("b");
    expect(diffDefinitions(lock.definitions, (await lockOf(connected.session)).definitions)).toMatchObject([
      { kind: "tool", name: "b", message: "The tool was removed." },
    ]);
  });
});

it.each([
  ["{", "Expected JSON"],
  ['{"tenon":2}', '"tenon": 1'],
  ['{"tenon":1,"server":{}}', '"server" with "name" and "version"'],
  ['{"tenon":1,"server":{"name":"a","version":"1"},"definitions":{"tools":[1]}}', "/definitions/tools"],
])("a lock file that is %s is refused with a reason", (text, message) => {
  expect(() => parseLock(text)).toThrow(message);
});
