import { boolean, integer, Model, optional } from "@tenon/jsonschema";
import type { ClientOptions, FormSource, RequestContext } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, modernRevision } from "@tenon/test-support";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";

import { connectPair, textOf } from "./pair.ts";

class Booking {
  @integer({ minimum: 1 }) nights!: number;
  @boolean("Sea view") view!: boolean;
  get price(): number {
    return this.nights * (this.view ? 120 : 100);
  }
}
class BookingModel extends Model({
  nights: { type: "integer", minimum: 1 },
  view: optional({ type: "boolean", description: "Sea view" }),
}) {}
const literal = {
  type: "object",
  properties: { nights: { type: "integer", minimum: 1 }, view: { type: "boolean", description: "Sea view" } },
  required: ["nights", "view"],
} as const;
const zod = z.object({ nights: z.number().int().min(1), view: z.boolean().describe("Sea view") });
const valibot = toStandardJsonSchema(
  v.object({
    nights: v.pipe(v.number(), v.integer(), v.minValue(1)),
    view: v.pipe(v.boolean(), v.description("Sea view")),
  }),
);
const ark = type({ nights: "number.integer >= 1", view: type("boolean").describe("Sea view") });

const sources: readonly [string, FormSource][] = [
  ["a literal", literal],
  ["zod", zod],
  ["valibot", valibot],
  ["ArkType", ark],
  ["a class", Booking],
  ["a Model", BookingModel],
];
const cases = bothEras.flatMap((revision) =>
  sources.map(([name, source]) => ({ name, source, revision }) as const),
);

/** Runs a tool whose handler asks, and a user who fills in the form. */
async function run(
  revision: Revision,
  answer: Record<string, string | number | boolean>,
  ask: (ctx: RequestContext) => Promise<unknown>,
): Promise<{ readonly text: string; readonly shown: readonly unknown[] }> {
  const shown: unknown[] = [];
  const client: ClientOptions = {
    elicitation: {
      form: ({ requestedSchema }) => {
        shown.push(requestedSchema);
        return { action: "accept", content: answer };
      },
    },
  };
  await using pair = await connectPair({ revision, client }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) => JSON.stringify(await ask(ctx)));
  });
  const text = await pair.session.callTool({ name: "ask" }).then(textOf, (error: Error) => error.message);
  return { text, shown };
}

test.each(cases)("a form may be described by $name, in $revision", async ({ source, revision }) => {
  const { text, shown } = await run(revision, { nights: 2, view: true }, async (ctx) => {
    const { content } = await ctx.elicit({ message: "Book?", requestedSchema: source });
    return [content instanceof Booking ? content.price : 0, content];
  });
  expect(JSON.parse(text)).toEqual([source === Booking ? 240 : 0, { nights: 2, view: true }]);
  expect(shown).toMatchObject([
    {
      type: "object",
      properties: { nights: { type: "integer" }, view: { type: "boolean", description: "Sea view" } },
    },
  ]);
});

test.each(bothEras)(
  "checks and transformations of a library run on the content of a form, in %s",
  async (revision) => {
    const requestedSchema = z
      .object({ code: z.string().regex(/^[a-z]+$/), id: z.uuid().optional(), size: z.number().default(3) })
      .transform(({ code, size }) => ({ code: code.toUpperCase(), size }));
    const ask = async (ctx: RequestContext): Promise<unknown> => {
      const outcome = await ctx.elicit({ message: "Code?", requestedSchema });
      expectTypeOf(outcome.content).toEqualTypeOf<{ code: string; size: number } | undefined>();
      return outcome.content;
    };
    const good = await run(revision, { code: "abc" }, ask);
    expect(JSON.parse(good.text)).toEqual({ code: "ABC", size: 3 });
    // Clients are shown what a form may have: they know neither patterns nor this format.
    expect(good.shown).toEqual([
      {
        type: "object",
        properties: {
          code: { type: "string" },
          id: { type: "string" },
          size: { type: "number", default: 3 },
        },
        required: ["code"],
      },
    ]);
    const bad = await run(revision, { code: "ABC" }, ask);
    expect(bad.text).toContain("code");
  },
);

test.each(bothEras)("asynchronous checks of a library are waited for, in %s", async (revision) => {
  const requestedSchema = z.object({
    name: z.string().refine((name) => Promise.resolve(name !== "taken"), "is taken"),
  });
  const ask = async (ctx: RequestContext): Promise<unknown> =>
    (await ctx.elicit({ message: "Name?", requestedSchema })).content;
  expect((await run(revision, { name: "free" }, ask)).text).toBe('{"name":"free"}');
  expect((await run(revision, { name: "taken" }, ask)).text).toContain("is taken");
});

test.each<[string, unknown, string]>([
  [
    "a shape",
    { code: z.string() },
    "requestedSchema is an object of schemas: wrap it, as in z.object({ … }).",
  ],
  [
    "a nested object",
    z.object({ at: z.object({ x: z.number() }) }),
    'The field "at" must be a string, number',
  ],
  ["no object", z.string(), 'requestedSchema must have type "object" and properties.'],
  ["a secret", z.object({ password: z.string() }), 'Form field "password" requests sensitive data'],
  ["a class without fields", class Empty {}, "requestedSchema is not valid: "],
])("what no form can show is refused: %s", async (_, source, message) => {
  const { text } = await run(modernRevision, {}, (ctx) =>
    ctx
      .elicit({ message: "?", requestedSchema: source as FormSource })
      .catch((error: unknown) => (error as Error).message),
  );
  expect(JSON.parse(text)).toContain(message);
});

test.each(bothEras)(
  "the model reads why a form cannot be shown, and so does onError, in %s",
  async (revision) => {
    const client: ClientOptions = { elicitation: { form: () => ({ action: "cancel" }) } };
    await using pair = await connectPair({ revision, client }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) => {
        await ctx.elicit({
          message: "?",
          requestedSchema: z.object({ at: z.object({ x: z.number() }) }) as never,
        });
      });
    });
    const result = await pair.session.callTool({ name: "ask" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('The tool failed. The field "at" must be a string, number');
    expect(pair.errors).toMatchObject([{ code: "INVALID_DEFINITION" }]);
  },
);
