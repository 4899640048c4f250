import {
  Client,
  createSuspension,
  defineClientExtension,
  defineMethod,
  defineServerExtension,
  isMcpError,
  Server,
  type ClientExtensionDefinition,
  type ClientExtensionHost,
  type ClientOptions,
} from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";

import { textOf } from "./pair.ts";

declare module "@tenon/mcp" {
  interface RequestExtensionOptions {
    /** Whether the call may be put into a queue: an option of the extension of these tests. */
    readonly mayQueue?: boolean | undefined;
  }
  interface SessionExtensionProperties {
    /** The queue of the server: a property of the extension of these tests. */
    readonly queue: { readonly length: () => Promise<number> };
  }
}

const id = "com.example/queue";
const none = (): void => undefined;
const lengthOf = defineMethod({
  method: "com.example/queue/length",
  extension: id,
  result: { type: "object", properties: { length: { type: "integer" } }, required: ["length"] } as const,
});

/** A server that queues calls of clients that declare the extension. */
function queueServer(settings: object = {}): Server {
  const server = new Server({ name: "queue", version: "1.0.0" }, { onError: none });
  server.use(
    defineServerExtension({
      id,
      setup: (_, host) => {
        server.addMethod(lengthOf, () => ({ length: 3 }));
        host.addResultType("tools/call", "queued");
        host.addToolOption("queue", {
          call: ({ request, run }) =>
            host.settingsOf(request) === undefined ? run() : { resultType: "queued", ticket: "t1" },
        });
        return settings;
      },
    }),
  );
  server.addTool({ name: "slow", queue: { name: "a" } }, () => "ran");
  server.addTool({ name: "echo" }, (_, { meta }) => JSON.stringify(meta));
  return server;
}

async function connect(
  server: Server,
  revision: Revision,
  definition?: Partial<ClientExtensionDefinition>,
  options?: ClientOptions,
) {
  const client = new Client({ name: "c", version: "1.0.0" }, { revisions: [revision], ...options });
  let host: ClientExtensionHost | undefined;
  client.use(
    defineClientExtension({
      id,
      ...definition,
      setup: (given, its) => {
        host = its;
        return definition?.setup?.(given, its);
      },
    }),
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await client.connect(here);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
  });
  return { client, session, host: host as unknown as ClientExtensionHost };
}

test("a hook sends the request and takes a result type of its extension", async () => {
  const { session } = await connect(queueServer(), modernRevision, {
    setup: (_, host) => {
      host.addRequestOptions("mayQueue");
      host.addRequestHook(
        "tools/call",
        async ({ params, options, send, session: its }) => {
          const { mayQueue, ...rest } = options;
          const result = await send(params, { ...rest, declared: mayQueue !== false });
          return result["resultType"] === "queued"
            ? {
                content: [
                  { type: "text", text: `waited for ${String(result["ticket"])} at ${its.revision}` },
                ],
              }
            : result;
        },
        ["queued"],
      );
    },
  });
  expect(textOf(await session.callTool({ name: "slow" }))).toBe(`waited for t1 at ${modernRevision}`);
  expect(textOf(await session.callTool({ name: "slow" }, { mayQueue: false }))).toBe("ran");
  const meta = textOf(await session.callTool({ name: "echo" }, { mayQueue: false, onProgress: none }));
  expect(JSON.parse(meta)).toMatchObject({
    progressToken: expect.any(Number),
    "io.modelcontextprotocol/clientCapabilities": { extensions: {} },
  });
});

test("the result type of an extension that the server does not declare is refused", async () => {
  const server = new Server({ name: "s", version: "1.0.0" }, { onError: none });
  server.addReceivingMiddleware((next) => async (request) => {
    const result = await next(request);
    return request.method === "tools/call" ? { ...(result as object), resultType: "queued" } : result;
  });
  server.addTool({ name: "t" }, () => "");
  const { session } = await connect(server, modernRevision, {
    setup: (_, host) => {
      host.addRequestHook("tools/call", ({ params, options, send }) => send(params, options), ["queued"]);
    },
  });
  const refused = await session.callTool({ name: "t" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: -32603 });
});

test.each(bothEras)("a hook may fail, and answer without sending (%s)", async (revision) => {
  const { session } = await connect(queueServer(), revision, {
    setup: (_, host) => {
      host.addRequestHook("tools/call", ({ params }) => {
        if (params["name"] === "none") {
          throw new TypeError("no such queue");
        }
        return Promise.resolve({ content: [] });
      });
      expect(() => {
        host.addRequestHook("tools/call", () => Promise.resolve({}));
      }).toThrow("have a hook already");
    },
  });
  await expect(session.callTool({ name: "none" })).rejects.toThrow("no such queue");
  expect(await session.callTool({ name: "slow" })).toMatchObject({ content: [] });
});

test.each(bothEras)("a session has the properties of an extension, each made once (%s)", async (revision) => {
  let made = 0;
  const { session } = await connect(queueServer(), revision, {
    setup: (_, host) => {
      host.addSessionProperty("queue", (its) => {
        made++;
        return { length: async () => (await its.request(lengthOf, {})).length };
      });
      expect(() => {
        host.addSessionProperty("tools", none);
      }).toThrow("have a property tools");
    },
  });
  expect(made).toBe(0);
  expectTypeOf(session.queue.length).returns.resolves.toEqualTypeOf<number>();
  expect([await session.queue.length(), await session.queue.length(), made]).toEqual([3, 3, 1]);
});

test.each(bothEras)("the settings of a server are checked (%s)", async (revision) => {
  const settings = { type: "object", properties: { lanes: { type: "integer" } } } as const;
  for (const lanes of [3, "three"]) {
    const errors: unknown[] = [];
    const { session, host } = await connect(
      queueServer({ lanes }),
      revision,
      { settings },
      { onError: (error) => void errors.push(error) },
    );
    const isValid = lanes === 3;
    expect(host.settingsOf(session)).toEqual(isValid ? { lanes } : undefined);
    const asked = session.request(lengthOf, {});
    await (isValid
      ? expect(asked).resolves.toEqual({ length: 3 })
      : expect(asked).rejects.toMatchObject({ code: "CAPABILITY_MISSING" }));
    await expect.poll(() => errors.some((error) => isMcpError(error, "INVALID_SETTINGS"))).toBe(!isValid);
  }
});

test("a client handles requests of the protocol that it does not handle itself", async () => {
  const server = queueServer();
  const { session } = await connect(server, legacyRevision, {
    setup: (_, host) => {
      host.addCapability("tasks", () => ({ list: {}, cancel: {} }));
      host.handle("tasks/get", ({ taskId }, { method }) => ({ taskId, method }));
      expect(() => {
        host.handle("ping", none);
      }).toThrow("the client does not handle it");
      expect(() => {
        host.addCapability("roots", none as never);
      }).toThrow("declared by the client itself");
    },
  });
  expect(session.declaredCapabilities).toMatchObject({ tasks: { list: {}, cancel: {} } });
  server.addTool({ name: "ask" }, async (_, context) => {
    const ask = context as unknown as { call: (method: string, params: object) => Promise<object> };
    return JSON.stringify(await ask.call("tasks/get", { taskId: "7" }));
  });
  expect(JSON.parse(textOf(await session.callTool({ name: "ask" })))).toEqual({
    taskId: "7",
    method: "tasks/get",
  });
});

test.each(bothEras)("an extension of the other era is not declared (%s)", async (revision) => {
  const eras = [revision === legacyRevision ? "modern" : "legacy"] as const;
  const { session, host } = await connect(queueServer(), revision, { eras });
  expect(session.declaredCapabilities).not.toHaveProperty("extensions");
  expect(host.settingsOf(session)).toBeUndefined();
});

test("an extension has the client's handlers answer input requests", async () => {
  const { session } = await connect(
    queueServer(),
    modernRevision,
    {},
    {
      elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
    },
  );
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } } as const;
  const ask = (method: string) => ({
    q: { method, params: { mode: "form", message: "Who?", requestedSchema } } as never,
  });
  expect(await session.answerInputs(ask("elicitation/create"))).toEqual({
    q: { action: "accept", content: { name: "Ada" } },
  });
  await expect(session.answerInputs(ask("sampling/createMessage"))).rejects.toMatchObject({
    code: "INVALID_RESULT",
  });
  const stopped = AbortSignal.abort(createSuspension("later"));
  await expect(session.answerInputs(ask("elicitation/create"), { signal: stopped })).rejects.toThrow("later");
});
