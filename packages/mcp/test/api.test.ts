import {
  Client,
  Server,
  type ClientOptions,
  type ClientRequest,
  type ClientSession,
  type RequestContext,
  type ServerOptions,
  type ServerRequest,
  type ServerSession,
} from "@tenon/mcp";
import type { Implementation, Root } from "@tenon/protocol";
import { legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, expectTypeOf, test } from "vitest";

import { connectPair, textOf } from "./pair.ts";

type Callbacks<T> = Extract<keyof T, `on${string}`>;

test("a client and a server are made of who they are and one object of options, each optional (S-065)", () => {
  expectTypeOf<ConstructorParameters<typeof Server>>().toEqualTypeOf<
    [info: Implementation, options?: ServerOptions | undefined]
  >();
  expectTypeOf<ConstructorParameters<typeof Client>>().toEqualTypeOf<
    [info: Implementation, options?: ClientOptions | undefined]
  >();
  const info = { name: "n", version: "1" };
  expect([new Server(info, {}).info, new Client(info, {}).info]).toEqual([info, info]);
  // @ts-expect-error: an option that does not exist is found by the compiler.
  expect(() => new Server(info, { pageSiez: 1 })).toThrow("Did you mean limits.pageSize?");
});

test.each(["x", null, undefined, {}, { name: "x" }, { name: "x", version: 1 }])(
  "who has no name and no version is refused, and told what is missing (%j)",
  (info) => {
    for (const make of [Server, Client]) {
      expect(() => new make(info as Implementation)).toThrow(
        expect.objectContaining({
          code: "INVALID_DEFINITION",
          message: expect.stringContaining("{ name: string, version: string }") as string,
        }),
      );
    }
  },
);

test("there is no catalogue of hooks: what is not a feature's own callback is middleware (S-086)", () => {
  expectTypeOf<Callbacks<ServerOptions>>().toEqualTypeOf<
    "onChange" | "onComplete" | "onError" | "onRootsListChanged" | "onSubscribe" | "onUnsubscribe"
  >();
  expectTypeOf<Callbacks<ClientOptions>>().toEqualTypeOf<
    "onError" | "onLog" | "onPromptsChanged" | "onResourcesChanged" | "onResourceUpdated" | "onToolsChanged"
  >();
  expectTypeOf<Callbacks<RequestContext | ServerSession | ClientSession>>().toEqualTypeOf<never>();
  expect(Object.getOwnPropertyNames(Server.prototype).filter((name) => /^on[A-Z]/.test(name))).toEqual([]);
});

test("sessions and requests show what users may touch, and nothing that only features need", () => {
  expectTypeOf<Exclude<keyof ServerRequest, keyof RequestContext>>().toEqualTypeOf<
    "id" | "params" | "with"
  >();
  expectTypeOf<keyof ClientRequest>().toEqualTypeOf<
    "id" | "meta" | "method" | "params" | "relatedTo" | "session" | "signal" | "with"
  >();
  type Inside = "definition" | "rules" | "state" | "clock" | "onError" | "tolerate" | "forgetStale";
  expectTypeOf<
    Extract<keyof (ServerRequest & ServerSession & ClientRequest & ClientSession), Inside>
  >().toEqualTypeOf<never>();
});

test("a handler reaches its session, and through it the roots of the client (S-154)", async () => {
  await using pair = await connectPair(
    { revision: legacyRevision, client: { roots: [{ uri: "file:///a" }, { uri: "file:///b" }] } },
    (server) => {
      const roots = async ({ session }: RequestContext): Promise<string> => {
        const uris: Root["uri"][] = [];
        for await (const { uri } of session?.roots() ?? []) {
          uris.push(uri);
        }
        return uris.join();
      };
      server.addTool({ name: "t" }, (_, ctx) => roots(ctx));
      server.addResource({ uri: "memo://1", name: "r" }, (_, ctx) => roots(ctx));
      server.addPrompt({ name: "p" }, (_, ctx) => roots(ctx));
    },
  );
  const { session } = pair;
  expect(textOf(await session.callTool({ name: "t" }))).toBe("file:///a,file:///b");
  expect((await session.readResource({ uri: "memo://1" })).contents).toMatchObject([
    { text: "file:///a,file:///b" },
  ]);
  expect((await session.getPrompt({ name: "p" })).messages).toMatchObject([
    { content: { text: "file:///a,file:///b" } },
  ]);
});

test("a handler of the modern era reaches the roots by asking on behalf of its request (S-154)", async () => {
  await using pair = await connectPair({ client: { roots: [{ uri: "file:///a" }] } }, (server) => {
    server.addResource({ uri: "memo://1", name: "r" }, async (_, ctx) =>
      (await ctx.listRoots()).map(({ uri }) => uri).join(),
    );
  });
  expect((await pair.session.readResource({ uri: "memo://1" })).contents).toMatchObject([
    { text: "file:///a" },
  ]);
});

test("every method of the protocol has a method of the session, on the server's side too (S-068, S-069, S-105, S-106)", async () => {
  const client = new Client(
    { name: "c", version: "1" },
    {
      revisions: [legacyRevision],
      roots: [{ uri: "file:///a" }],
      sampling: {
        createMessage: () => ({ role: "assistant", model: "m", content: { type: "text", text: "hi" } }),
      },
    },
  );
  const server = new Server({ name: "s", version: "1" }, { logging: true });
  server.addTool({ name: "t" }, () => "");
  server.addPrompt({ name: "p", arguments: [{ name: "a" }], complete: { a: ["x"] } }, () => "");
  server.addResource({ uri: "memo://1", name: "r" }, () => "");
  const asked: string[] = [];
  server.addReceivingMiddleware((next) => (request) => {
    asked.push(request.method);
    return next(request);
  });
  const [here, there] = createInMemoryTransports();
  const serverSession = await server.connect(there);
  await using session = await client.connect(here);
  asked.length = 0;
  await session.listTools();
  await session.callTool({ name: "t" });
  await session.listPrompts();
  await session.getPrompt({ name: "p" });
  await session.listResources();
  await session.listResourceTemplates();
  await session.readResource({ uri: "memo://1" });
  await session.subscribe({ uri: "memo://1" });
  await session.unsubscribe({ uri: "memo://1" });
  await session.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } });
  await session.setLogLevel("error");
  await session.ping();
  expect(asked).toEqual([
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
    "ping",
  ]);
  expect(await serverSession.listRoots()).toEqual([{ uri: "file:///a" }]);
  const sampled = await serverSession.createMessage({ messages: [], maxTokens: 1 });
  expect(sampled).toMatchObject({ content: { text: "hi" } });
  expect(await serverSession.request("ping")).toEqual({});
});
