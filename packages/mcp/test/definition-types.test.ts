import type { Unstructured } from "@tenon/mcp";
import { Client, Server } from "@tenon/mcp";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";

import { connectPair, textOf } from "./pair.ts";

interface City {
  readonly name: string;
}

test("a tool without an output schema may return any JSON value, as text", async () => {
  await using pair = await connectPair({}, (server) => {
    server.addTool({ name: "object" }, () => ({ city: "Oslo" }));
    server.addTool({ name: "interface" }, async (): Promise<City> => ({ name: "Oslo" }));
    server.addTool({ name: "list" }, () => [{ city: "Oslo" }, 5]);
    server.addTool({ name: "number" }, () => 5);
    server.addTool({ name: "boolean" }, async () => false);
  });
  const call = async (name: string): Promise<unknown> =>
    JSON.parse(textOf(await pair.session.callTool({ name })));
  expect(await call("object")).toEqual({ city: "Oslo" });
  expect(await call("interface")).toEqual({ name: "Oslo" });
  expect(await call("list")).toEqual([{ city: "Oslo" }, 5]);
  expect(await call("number")).toBe(5);
  expect(await call("boolean")).toBe(false);
});

test("a misspelt block or result is found by the compiler", () => {
  expectTypeOf<{ type: "txt"; text: string }>().not.toExtend<Unstructured>();
  expectTypeOf<{ content: { type: "text" }[] }>().not.toExtend<Unstructured>();
  expectTypeOf<{ structuredContent: object }>().not.toExtend<Unstructured>();
  expectTypeOf<Promise<{ type: "txt" }>>().not.toExtend<Unstructured>();
  expectTypeOf<{ type: "image"; data: string }[]>().not.toExtend<Unstructured>();
  expectTypeOf<Map<string, string>>().not.toExtend<Unstructured>();
  expectTypeOf<readonly (City | string | readonly City[] | null)[]>().toExtend<Unstructured>();
});

test("requests of a client are answered by the compiler with where they belong", () => {
  expectTypeOf<
    ThisParameterType<Client["callTool"]>
  >().toExtend<`const session = await client.connect(transport)${string}`>();
  const client = new Client({ name: "test", version: "1.0.0" });
  // @ts-expect-error: the 'this' context of type 'Client' is not assignable to the hint.
  expect(() => client.callTool({ name: "a" })).toThrow(TypeError);
  expect(Object.keys(client)).not.toContain("callTool");
});

test("what migrators write is answered by the compiler with a sentence", () => {
  const server = new Server({ name: "test", version: "1.0.0" });
  // @ts-expect-error: schemas of a library belong in "input".
  server.addTool({ name: "a", inputSchema: z.object({ a: z.string() }) }, () => "");
  // @ts-expect-error: schemas of a library belong in "output".
  server.addTool({ name: "b", outputSchema: z.object({ a: z.string() }) }, () => ({ a: "" }));
  expect(() =>
    // @ts-expect-error: input must be a schema: wrap the shape, as in z.object({ … }).
    server.addTool({ name: "c", input: { a: z.string() } }, ({ a }) => String(a)),
  ).toThrow("wrap it, as in z.object({ … })");
  expect(() =>
    // @ts-expect-error: this schema has no JSON Schema: use zod 4.2 or later.
    server.addTool({ name: "e", input: z3.object({ a: z3.string() }) }, ({ a }) => String(a)),
  ).toThrow("use zod 4.2 or later");
  // @ts-expect-error: write addTool({ name, description, input }, handler).
  expect(() => server.addTool("d", {}, () => "")).toThrow('Write addTool({ name: "d" }, handler).');
});
