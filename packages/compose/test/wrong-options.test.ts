import { compose, type ComposeOptions } from "@tenon/compose";
import { Manager } from "@tenon/host";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

function deleting(): Server {
  const server = new Server({ name: "files", version: "1.0.0" });
  server.addTool({ name: "delete_all" }, () => "deleted");
  return server;
}

const wrong: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ["names: misspelt", { names: "Own" }, 'names must be qualified or own; got "Own".'],
  ["whenDown: boolean", { whenDown: true }, "whenDown must be hide or keep; got boolean."],
  ["asTools: misspelt", { asTools: ["prompt"] }, 'asTools must be prompts or resources; got "prompt".'],
  ["asTools: string", { asTools: "prompts" }, "asTools must be an array; got string."],
  [
    "transforms: object",
    { transforms: { tool: "*", hide: true } },
    "transforms must be an array; got object.",
  ],
  [
    "a transform: misspelt",
    { transforms: [{ tool: "*", hidden: true }] },
    'A transform has no option "hidden".',
  ],
  ["a transform: string", { transforms: ["delete_all"] }, "A transform takes an object with options"],
  [
    "hide: string",
    { transforms: [{ hide: "true" }] },
    "hide of a transform must be true or false; got string.",
  ],
  [
    "an argument: misspelt",
    { transforms: [{ arguments: { path: { valeu: "/tmp" } } }] },
    'The argument path of a transform has no option "valeu". Did you mean value?',
  ],
  [
    "offers: promise",
    { asTools: ["prompts"], offers: async () => false },
    "offers must return true or false",
  ],
];

test.each(wrong)("%s of a composition is refused, because nothing may fail open", (_, options, message) => {
  expect(() => compose({ files: deleting() }, options)).toThrow(
    expect.objectContaining({ name: "TypeError", message: expect.stringContaining(message) }),
  );
});

test.each([
  ["a source that is none", { other: 5 }, {}],
  ["a key that is too short", {}, { stateKeys: "short" }],
  ["a choice of tools that throws", {}, { asTools: ["prompts"], offers: () => "no" }],
])("a composition that is refused for %s leaves no listener at its manager", (_, others, options) => {
  const manager = new Manager({
    servers: { files: { type: "custom", transport: () => createInMemoryTransports()[0] } },
  });
  onTestFinished(() => manager.close());
  let listeners = 0;
  const on = manager.on.bind(manager);
  manager.on = (event, listener) => {
    const stop = on(event, listener);
    listeners++;
    return () => {
      listeners--;
      stop();
    };
  };
  expect(() => compose({ manager, ...others } as never, options as ComposeOptions)).toThrow(Error);
  expect(listeners).toBe(0);
  expect(() => compose({ manager })).not.toThrow();
  expect(listeners).toBeGreaterThan(0);
});

/** A client of a composition, and the errors that it reports. */
async function connect(options: object): Promise<{ session: ClientSession; errors: string[] }> {
  const errors: string[] = [];
  const onError = (error: unknown): void => void errors.push((error as Error).message);
  const composed = compose({ files: deleting() }, { ...(options as ComposeOptions), onError });
  const [here, there] = createInMemoryTransports();
  await composed.connect(there);
  const session = await new Client({ name: "test", version: "1.0.0" }).connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
  });
  return { session, errors };
}

test.each([
  ["a promise", async () => ({ hide: true }), "or undefined; got a promise."],
  ["a misspelt change", () => ({ hidden: true }), 'A transform has no option "hidden".'],
])("a tool is hidden if its transform returns %s", async (_, transform, problem) => {
  const { session, errors } = await connect({ transforms: [transform] });
  expect((await session.listTools()).tools).toEqual([]);
  await expect(session.callTool({ name: "mcp__files__delete_all" })).rejects.toMatchObject({ code: -32_602 });
  expect(errors).toEqual([expect.stringContaining(problem)]);
});

test.each([
  ["a promise", async () => false],
  ["a string", () => "no"],
])("lists and calls of tools fail if offers returns %s, and the operator is told", async (got, offers) => {
  const { session, errors } = await connect({ offers });
  await expect(session.listTools()).rejects.toMatchObject({ code: -32_603 });
  await expect(session.callTool({ name: "mcp__files__delete_all" })).rejects.toMatchObject({ code: -32_603 });
  const problem = `offers must return true or false for the tool mcp__files__delete_all; got ${got === "a promise" ? got : "string"}.`;
  expect(errors).toEqual([expect.stringContaining(problem), expect.stringContaining(problem)]);
});
