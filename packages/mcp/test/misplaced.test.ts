import { isMcpError, Server } from "@tenon/mcp";
import { expect, test } from "vitest";
import { z } from "zod";

import { connectPair } from "./pair.ts";

/** Definitions as JavaScript, or a cast, lets them through. */
type Untyped = Record<
  "addTool" | "addPrompt" | "addResource" | "addResourceTemplate",
  (definition: object, handler?: unknown) => void
>;

function untyped(): Untyped {
  return new Server({ name: "s", version: "1" }) as unknown as Untyped;
}

const handler = (): string => "done";

function refusalOf(add: () => void): string {
  try {
    add();
  } catch (error) {
    if (isMcpError(error, "INVALID_DEFINITION")) {
      return error.message;
    }
    throw error;
  }
  throw new Error("The definition was accepted.");
}

const definitions = [
  ["addTool", { name: "a" }, "tool a"],
  ["addPrompt", { name: "a" }, 'prompt "a"'],
  ["addResource", { name: "a", uri: "notes://1" }, "resource notes://1"],
  ["addResourceTemplate", { name: "a", uriTemplate: "notes://{id}" }, 'resource template "notes://{id}"'],
] as const;

test.each([
  ["addTool", "name"],
  ["addPrompt", "name"],
  ["addResource", "uri"],
  ["addResourceTemplate", "uriTemplate"],
] as const)("%s with anything but an object first shows how it is written", (method, member) => {
  const refused = (given: unknown): string => refusalOf(() => untyped()[method](given as object, handler));
  expect(refused("greet")).toBe(
    `${method} takes an object and then a handler; got string. Write ${method}({ ${member}: "greet" }, handler).`,
  );
  expect(refused(null)).toContain("got null");
  expect(refused([])).toContain("got array");
});

test.each(definitions)("%s without a function as handler says what it needs", (method, definition, where) => {
  const refused = (given: unknown): string => refusalOf(() => untyped()[method](definition, given));
  const expected = `The ${where} needs a handler, a function, as the second argument`;
  expect(refused(undefined)).toBe(`${expected}; got undefined.`);
  expect(refused(null)).toBe(`${expected}; got null.`);
  expect(refused({})).toBe(`${expected}; got object.`);
  untyped()[method](definition, handler);
});

test.each([
  ["addTool", "parameters", '"input"'],
  ["addTool", "inputShape", '"input"'],
  ["addTool", "schema", '"input"'],
  ["addTool", "execute", "second argument"],
  ["addTool", "callback", "second argument"],
  ["addPrompt", "argsSchema", '"arguments"'],
  ["addPrompt", "argumentsSchema", '"arguments"'],
  ["addPrompt", "load", "second argument"],
] as const)("%s refuses the member %s and names %s", (method, member, right) => {
  for (const given of [handler, undefined]) {
    const message = refusalOf(() => untyped()[method]({ name: "a", [member]: {} }, given));
    expect(message).toContain(`Unknown property "${member}"`);
    expect(message).toContain(right);
  }
});

test("other unknown members are ignored", () => {
  expect(() => untyped().addTool({ name: "a", load: 1, other: 1 }, handler)).not.toThrow();
  expect(() => untyped().addPrompt({ name: "a", schema: 1, other: 1 }, handler)).not.toThrow();
});

test.each(["input", "output"])("an object of schemas as %s is to be wrapped", (member) => {
  const shape = { name: z.string() };
  expect(refusalOf(() => untyped().addTool({ name: "a", [member]: shape }, handler))).toBe(
    `The ${member} schema of a is an object of schemas: wrap it, as in z.object({ … }).`,
  );
  untyped().addTool({ name: "a", [member]: z.object(shape) }, handler);
});

test("callTool with a name alone rejects and says how to call", async () => {
  await using pair = await connectPair({}, (server) => server.addTool({ name: "greet" }, handler));
  const session = pair.session as unknown as { callTool(name: string, args: object): Promise<unknown> };
  await expect(session.callTool("greet", {})).rejects.toThrow(
    'Write callTool({ name: "greet", arguments: { … } }).',
  );
});

test.each([
  ["task", "optional", "tasks(…)"],
  ["ui", "ui://weather/chart", "apps(…)"],
])(
  "the option %s is refused without its extension, with a word on what to add",
  (option, value, extension) => {
    expect(refusalOf(() => untyped().addTool({ name: "a", [option]: value }, handler))).toBe(
      `The tool a has the option ${option}, which needs an extension: call server.use(${extension}) before addTool.`,
    );
    expect(() => untyped().addTool({ name: "a", [option]: undefined }, handler)).not.toThrow();
  },
);
