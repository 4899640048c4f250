import { array, integer, Model, oneOf, optional, string } from "@tenon/jsonschema";
import { isMcpError, Server } from "@tenon/mcp";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";

import { converse } from "./conversation.ts";
import { addPlan } from "./docs/prompt-of-zod.ts";

interface Trip {
  city: string;
  days: number;
  unit?: "celsius" | "fahrenheit" | undefined;
}

class TripClass {
  @string("Where") city!: string;
  @integer({ minimum: 1 }) days!: number;
  @oneOf(["celsius", "fahrenheit"], { optional: true }) unit?: "celsius" | "fahrenheit";
}

class TripModel extends Model({
  city: { type: "string", description: "Where" },
  days: { type: "integer", minimum: 1 },
  unit: optional({ enum: ["celsius", "fahrenheit"] }),
}) {}

const zodTrip = z.object({
  city: z.string().describe("Where"),
  days: z.number().int().min(1),
  unit: z.enum(["celsius", "fahrenheit"]).optional(),
});
const valibotTrip = toStandardJsonSchema(
  v.object({
    city: v.pipe(v.string(), v.description("Where")),
    days: v.pipe(v.number(), v.integer(), v.minValue(1)),
    unit: v.optional(v.picklist(["celsius", "fahrenheit"])),
  }),
);
const arkTrip = type({
  city: type("string").describe("Where"),
  days: "number.integer >= 1",
  "unit?": "'celsius' | 'fahrenheit'",
});

const show = ({ city, days, unit }: Trip): string => `${city}, ${days} days, ${unit ?? "none"}`;

/** The same prompt, its arguments described in each of the ways. */
function addTrips(server: Server): void {
  server.addPrompt({ name: "zod", arguments: zodTrip }, (args) => {
    expectTypeOf(args).toEqualTypeOf<z.output<typeof zodTrip>>();
    return show(args);
  });
  server.addPrompt({ name: "valibot", arguments: valibotTrip }, (args) => {
    expectTypeOf(args.days).toEqualTypeOf<number>();
    return show(args);
  });
  server.addPrompt({ name: "arktype", arguments: arkTrip }, (args) => {
    expectTypeOf(args).toEqualTypeOf<typeof arkTrip.infer>();
    return show(args);
  });
  server.addPrompt({ name: "class", arguments: TripClass }, (args) => {
    expectTypeOf(args).toEqualTypeOf<TripClass>();
    return `${show(args)}${args instanceof TripClass ? "" : " (no instance)"}`;
  });
  server.addPrompt({ name: "model", arguments: TripModel }, (args) => show(args));
}

const ways = ["zod", "valibot", "arktype", "class", "model"] as const;

test.each(ways)(
  "the arguments of a prompt may be a schema of %s: listed, read from text and checked (S-151, S-152)",
  async (name) => {
    await using it = await converse(modernRevision, addTrips);
    const { prompts } = (await it.call("prompts/list"))["result"] as {
      prompts: { name: string; arguments: { name: string }[] }[];
    };
    const listed = prompts.find((prompt) => prompt.name === name)?.arguments ?? [];
    expect(listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: "city", description: "Where", required: true },
      { name: "days", required: true },
      { name: "unit" },
    ]);
    const get = (args: object): Promise<unknown> => it.call("prompts/get", { name, arguments: args });
    expect(await get({ city: "Oslo", days: "3", unit: "celsius", other: "x" })).toMatchObject({
      result: { messages: [{ content: { text: "Oslo, 3 days, celsius" } }] },
    });
    expect(await get({ city: "7", days: "1" })).toMatchObject({
      result: { messages: [{ content: { text: "7, 1 days, none" } }] },
    });
    for (const bad of [{ days: "0" }, { days: "1.5" }, { days: "soon" }, { days: "1", unit: "kelvin" }]) {
      expect(await get({ city: "Oslo", ...bad })).toMatchObject({ error: { code: -32602 } });
    }
    expect(await get({ city: "Oslo" })).toMatchObject({
      error: { code: -32602, data: { missing: ["days"] } },
    });
  },
);

test.each(["zod", "class"])("an enum of text in a schema of %s is suggested", async (name) => {
  await using it = await converse(modernRevision, addTrips);
  const argument = { name: "unit", value: "f" };
  expect(await it.call("completion/complete", { ref: { type: "ref/prompt", name }, argument })).toMatchObject(
    { result: { completion: { values: ["fahrenheit"] } } },
  );
});

test("checks, transforms and defaults of a library run, asynchronous ones too", async () => {
  const schema = z.object({
    code: z
      .string()
      .trim()
      .refine(async (code) => Promise.resolve(code !== "")),
    tags: z.array(z.string()).default(["none"]),
    depth: z.number().nullable().optional(),
    either: z.union([z.number(), z.string()]).optional(),
  });
  await using it = await converse(legacyRevision, (server) => {
    server.addPrompt({ name: "p", arguments: schema }, (args) =>
      [args.code, args.tags.join(), args.depth, args.either].map(String).join("; "),
    );
  });
  const get = async (args: object): Promise<unknown> =>
    it.call("prompts/get", { name: "p", arguments: args });
  const answer = (text: string): object => ({ result: { messages: [{ content: { text } }] } });
  expect(await get({ code: " x " })).toMatchObject(answer("x; none; undefined; undefined"));
  expect(await get({ code: "x", tags: '["a","b"]', depth: "null", either: "7" })).toMatchObject(
    answer("x; a,b; null; 7"),
  );
  expect(await get({ code: " " })).toMatchObject({ error: { code: -32602 } });
});

test("defaults of a JSON Schema and of a class are filled in", async () => {
  class Review {
    @string() code!: string;
    @array(string()) tags: string[] = ["none"];
  }
  const literal = {
    type: "object",
    properties: {
      code: { type: "string" },
      tags: { type: "array", items: { type: "string" }, default: ["none"] },
    },
    required: ["code"],
  } as const;
  await using it = await converse(legacyRevision, (server) => {
    server.addPrompt({ name: "literal", arguments: literal }, (args) => JSON.stringify(args));
    server.addPrompt({ name: "class", arguments: Review }, (args) => JSON.stringify(args));
  });
  for (const name of ["literal", "class"]) {
    expect(await it.call("prompts/get", { name, arguments: { code: "x" } })).toMatchObject({
      result: { messages: [{ content: { text: '{"code":"x","tags":["none"]}' } }] },
    });
  }
});

test("completers are asked for by the names that the schema has", () => {
  const server = new Server({ name: "s", version: "1" });
  server.addPrompt({ name: "a", arguments: zodTrip, complete: { city: () => ["Oslo"] } }, show);
  const complete = { town: () => [] };
  // @ts-expect-error -- there is no such argument
  expect(() => server.addPrompt({ name: "b", arguments: zodTrip, complete }, show)).toThrow("town");
});

test("the prompt of the documentation fills in what it says", async () => {
  await using it = await converse(modernRevision, addPlan);
  expect(await it.call("prompts/get", { name: "plan", arguments: { beams: "2" } })).toMatchObject({
    result: { messages: [{ content: { text: "A plan for 4 tenons in oak, please." } }] },
  });
});

test.each([
  [z.string(), 'got one with type "string"'],
  [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), "got one with no type"],
  [{ type: "object" }, 'with type "object" and properties; got one with type "object"'],
  [{ type: "array", items: {} }, 'got one with type "array"'],
  [z.object({ when: z.date() }), "Date cannot be represented in JSON Schema"],
  [v.object({ a: v.string() }), "toStandardJsonSchema"],
  [{ code: z.string() }, "wrap it, as in z.object({ … })"],
  [{ type: "object", properties: { a: { type: "text" } } }, "not a valid schema"],
  [Date, "has no described fields"],
  ["code", "got string"],
])("a schema that gives no list of arguments is refused when the prompt is added: %#", (given, reason) => {
  const server = new Server({ name: "s", version: "1" });
  let refusal: unknown;
  try {
    server.addPrompt({ name: "p", arguments: given }, () => "");
  } catch (error) {
    refusal = error;
  }
  expect(isMcpError(refusal) ? [refusal.code, refusal.message] : refusal).toEqual([
    "INVALID_DEFINITION",
    expect.stringContaining(reason),
  ]);
});
