import { Server, type ServerRequest } from "@tenon/mcp";
import { visiblePrompts, visibleResources, visibleTools } from "@tenon/operations";
import { bothEras, modernRevision } from "@tenon/test-support";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { connect, serve } from "./pair.ts";

const isPublic = (_: ServerRequest, name: string): boolean => !name.includes("secret");
const failure = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

test.each(bothEras)(
  "a page that ends with a hidden tool gives no cursor that names it, in %s",
  async (revision) => {
    const server = new Server({ name: "server", version: "1.0.0" }, { limits: { pageSize: 2 } });
    for (const name of ["a", "b-secret", "c-secret", "d-secret", "e", "f", "g", "h-secret"]) {
      server.addTool({ name }, () => "");
    }
    server.addReceivingMiddleware(...visibleTools(isPublic));
    const session = await connect(server, revision);
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await session.request("tools/list", cursor === undefined ? {} : { cursor });
      pages.push(page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
      expect(cursor === undefined ? "" : atob(cursor.slice(1))).not.toContain("secret");
    } while (cursor !== undefined);
    expect(pages).toEqual([["a", "e", "f"], ["g"]]);
  },
);

test("a filtered list is private for caches, even if the server says public", async () => {
  const server = new Server(
    { name: "server", version: "1.0.0" },
    { cache: { ttlMs: 60_000, cacheScope: "public" } },
  );
  server.addTool({ name: "a" }, () => "");
  server.addReceivingMiddleware(...visibleTools(isPublic));
  const session = await connect(server, modernRevision);
  expect(await session.request("tools/list", {})).toMatchObject({ ttlMs: 60_000, cacheScope: "private" });
});

test("each principal sees its own tools over HTTP, and a check that fails hides them (S-066)", async () => {
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: () => {} });
  server.addTool({ name: "read" }, () => "");
  server.addTool({ name: "delete" }, () => "deleted");
  server.addReceivingMiddleware(
    ...visibleTools(({ auth }, tool) => {
      if (auth?.principal === "eve") {
        throw new Error("The directory is away.");
      }
      return tool === "read" || auth?.principal === "ada";
    }),
  );
  const handler = createStreamableHandler({
    getServer: () => server,
    authenticate: ({ headers }) => ({ principal: headers.get("authorization") ?? "nobody" }),
  });
  const url = `${await serve(handler)}/mcp`;
  const ask = async (principal: string, method: string, params?: object): Promise<unknown> => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: principal,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return response.json();
  };
  const listed = (names: readonly string[]): object => ({
    result: { tools: names.map((name) => expect.objectContaining({ name })) },
  });
  expect(await ask("ada", "tools/list")).toMatchObject(listed(["delete", "read"]));
  expect(await ask("bob", "tools/list")).toMatchObject(listed(["read"]));
  expect(await ask("eve", "tools/list")).toMatchObject(listed([]));
  expect(await ask("ada", "tools/call", { name: "delete" })).toMatchObject({
    result: { content: [{ text: "deleted" }] },
  });
  expect(await ask("bob", "tools/call", { name: "delete" })).toMatchObject({
    error: { code: -32602, message: "Unknown tool: delete" },
  });
  await handler.close({ drainMs: 0 });
});

function library(): Server {
  const server = new Server({ name: "library", version: "1.0.0" });
  for (const name of ["open", "secret"]) {
    server.addPrompt(
      { name, arguments: [{ name: "title" }], complete: { title: () => ["Momo"] } },
      () => "Read it.",
    );
    server.addResource({ name, uri: `note://${name}` }, () => "text");
  }
  server.addResourceTemplate(
    { name: "page", uriTemplate: "secret://{page}", complete: { page: () => ["1"] } },
    () => "text",
  );
  return server;
}

test.each(bothEras)(
  "a hidden prompt is unknown to lists, requests and completion, in %s",
  async (revision) => {
    const server = library();
    server.addReceivingMiddleware(...visiblePrompts(isPublic));
    const session = await connect(server, revision);
    expect((await session.listPrompts()).prompts.map(({ name }) => name)).toEqual(["open"]);
    const [hidden, unknown] = [
      await failure(session.getPrompt({ name: "secret" })),
      await failure(session.getPrompt({ name: "nothing" })),
    ];
    expect(hidden).toMatchObject({ code: -32602, message: "Unknown prompt: secret" });
    expect(unknown).toMatchObject({ code: -32602, message: "Unknown prompt: nothing" });
    const argument = { name: "title", value: "" };
    const complete = (name: string): Promise<unknown> =>
      failure(session.complete({ ref: { type: "ref/prompt", name }, argument }));
    expect(await complete("open")).toMatchObject({ completion: { values: ["Momo"] } });
    expect(await complete("secret")).toMatchObject({ message: "Unknown prompt: secret" });
  },
);

test.each(bothEras)(
  "a hidden resource is unknown to lists, reads, completion and subscriptions, in %s",
  async (revision) => {
    const server = library();
    server.addReceivingMiddleware(...visibleResources(isPublic));
    const session = await connect(server, revision);
    expect((await session.listResources()).resources.map(({ uri }) => uri)).toEqual(["note://open"]);
    expect((await session.listResourceTemplates()).resourceTemplates).toEqual([]);
    const codes = [];
    for (const uri of ["note://secret", "note://nothing", "secret://1"]) {
      const error = (await failure(session.readResource({ uri }))) as { code: number; message: string };
      expect(error.message).toBe(`Resource not found: ${uri}`);
      codes.push(error.code);
    }
    expect(new Set(codes).size).toBe(1);
    const completed = failure(
      session.complete({
        ref: { type: "ref/resource", uri: "secret://{page}" },
        argument: { name: "page", value: "" },
      }),
    );
    expect(await completed).toMatchObject({ message: "Resource not found: secret://{page}" });
    if (revision === modernRevision) {
      return;
    }
    await session.request("resources/subscribe", { uri: "note://open" });
    expect(await failure(session.request("resources/subscribe", { uri: "note://secret" }))).toMatchObject({
      message: "Resource not found: note://secret",
    });
  },
);

test("a modern subscription leaves out hidden resources", async () => {
  const server = library();
  const accepted: unknown[] = [];
  server.addReceivingMiddleware((next) => (request) => {
    if (request.method === "subscriptions/listen") {
      accepted.push(request.params["notifications"]);
    }
    return next(request);
  });
  server.addReceivingMiddleware(...visibleResources(isPublic));
  const session = await connect(server, modernRevision);
  const subscription = await session.listen(
    { resourceSubscriptions: ["note://open", "note://secret"] },
    { onChange: () => {} },
  );
  expect(accepted).toEqual([expect.objectContaining({ resourceSubscriptions: ["note://open"] })]);
  await subscription.close();
});

test("a list in place of a function is refused, because it would hide everything", () => {
  for (const visible of [visibleTools, visiblePrompts, visibleResources]) {
    expect(() => visible(["a"] as never)).toThrow("maySee must be a function");
  }
});
