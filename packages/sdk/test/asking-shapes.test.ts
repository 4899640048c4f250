import { RpcError } from "@tenon/jsonrpc2";
import {
  inputRequired,
  Server,
  type ClientOptions,
  type ClientRequest,
  type ServerRequest,
  type ServerSession,
} from "@tenon/mcp";
import { modernRevision } from "@tenon/test-support";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { describe, expect, test } from "vitest";

import { deferred, pair } from "./pair.ts";
import { shapes } from "./shapes.ts";

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const question = {
  method: "elicitation/create" as const,
  params: { message: "Who?", requestedSchema: { ...form, required: ["name"] } },
};

/** Shapes by which a server can request input at all. */
const asking = Object.entries(shapes).filter(([name]) => name !== "JSON" && name !== "no session");
/** Shapes that say to which request an input request belongs. */
const related = new Set(["memory", "GET", "store", "no GET", "modern"]);

/** Middleware that asks in place of the tool `proxied`, and keeps state. */
function addProxied(server: Server): { runs: number } {
  const count = { runs: 0 };
  server.addReceivingMiddleware((next) => (request: ServerRequest) => {
    if (request.method !== "tools/call" || request.params["name"] !== "proxied") {
      return next(request);
    }
    count.runs++;
    const answer = request.inputResponses?.["who"] as { content?: { name?: string } } | undefined;
    return answer === undefined
      ? inputRequired({ inputRequests: { who: question }, requestState: { secret: "swordfish" } })
      : {
          content: [
            { type: "text", text: `${answer.content?.name} ${JSON.stringify(request.requestState)}` },
          ],
        };
  });
  return count;
}

describe.each(asking)("over the shape %s", (name, shape) => {
  test("input requests that middleware returns are asked and resumed like a handler's, with its state (R-649)", async () => {
    let count = { runs: 0 };
    await using made = await pair(shape, {}, {}, (server) => {
      count = addProxied(server);
      // Outer middleware that copies results changes nothing.
      server.addReceivingMiddleware((next) => async (request) => {
        const result = await next(request);
        return request.method === "tools/call" ? { ...(result as object) } : result;
      });
    });
    const result = await made.session.callTool({ name: "proxied" });
    expect(result.content).toMatchObject([{ text: 'Ada {"secret":"swordfish"}' }]);
    expect(count.runs).toBe(2);
  });

  test("a form that belongs to a cancelled call is withdrawn", async () => {
    const shown = deferred();
    const withdrawn = deferred();
    const client: ClientOptions = {
      elicitation: {
        form: (_, { signal }) => {
          shown.resolve();
          return new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              withdrawn.resolve();
              reject(signal.reason as Error);
            });
          });
        },
      },
    };
    await using made = await pair(shape, {}, client, (server) => {
      server.addTool({ name: "ask" }, async (_, context) => {
        const { action } = await context.elicit({ message: "Who?", requestedSchema: form });
        return action;
      });
    });
    const controller = new AbortController();
    const call = made.session.callTool({ name: "ask" }, { signal: controller.signal });
    await shown.promise;
    controller.abort();
    await expect(call).rejects.toThrow();
    await withdrawn.promise;
  });

  test("an input request names the request of the client for which it was sent, where the connection tells", async () => {
    const seen = new Map<unknown, unknown>();
    const client: ClientOptions = {
      elicitation: {
        form: ({ message }, request: ClientRequest) => {
          seen.set(message, request.relatedTo);
          return { action: "accept", content: { name: message } };
        },
      },
    };
    await using made = await pair(shape, {}, client, (server) => {
      server.addTool({ name: "ask", input: form }, async ({ name: who }, context) => {
        const { action } = await context.elicit({ message: who, requestedSchema: form });
        return action;
      });
    });
    const ids = new Map<string, unknown>();
    await Promise.all(
      ["ann", "bob", "cleo"].map((who) =>
        made.session.callTool(
          { name: "ask", arguments: { name: who } },
          { onId: (id) => noteFirst(ids, who, id) },
        ),
      ),
    );
    expect(Object.fromEntries(seen)).toEqual(
      related.has(name) ? Object.fromEntries(ids) : { ann: undefined, bob: undefined, cleo: undefined },
    );
  });

  test("an error arrives with the text that the server wrote, line breaks included", async () => {
    const message = "line 1\nline 2\ttab \u001b[31m";
    await using made = await pair(shape, {}, {}, (server) => {
      server.addReceivingMiddleware((next) => (request) => {
        if (request.params["name"] === "fail") {
          throw new RpcError(-32000, message);
        }
        return next(request);
      });
    });
    const error: unknown = await made.session.callTool({ name: "fail" }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32000, message });
    expect((error as Error).stack).toContain(String.raw`line 1\nline 2\ttab \u001b[31m`);
  });
});

test("what middleware keeps is unreadable for a modern client, and refused from another (N1)", async () => {
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: () => {} });
  const count = addProxied(server);
  const first = await ask(server, "proxied", {});
  const { requestState, ...rest } = first.result as Record<string, unknown>;
  expect(JSON.stringify(first)).not.toMatch(/swordfish|sealed|userState/);
  expect(rest).toMatchObject({ resultType: "input_required", inputRequests: { who: question } });
  const answers = { who: { action: "accept", content: { name: "Ada" } } };
  const other = await ask(server, "proxied", { arguments: { x: 1 }, requestState, inputResponses: answers });
  expect(other.error).toMatchObject({ code: -32602, data: { reason: "state-refused", delivered: "maybe" } });
  expect(other.error?.message).not.toMatch(/start again/);
  expect(count.runs).toBe(1);
  const last = await ask(server, "proxied", { requestState, inputResponses: answers });
  expect(last.result).toMatchObject({ content: [{ text: 'Ada {"secret":"swordfish"}' }] });
});

test("middleware cannot request input for a method without it: an error, not a result", async () => {
  const errors: unknown[] = [];
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: (error) => errors.push(error) });
  server.addReceivingMiddleware(() => () => inputRequired({ inputRequests: { who: question } }));
  const { error, result } = await ask(server, undefined, {}, "tools/list");
  expect(result).toBeUndefined();
  expect(error).toMatchObject({ code: -32603 });
  expect(errors).toMatchObject([{ code: "NOT_IN_REVISION" }]);
});

test("a server for each request resumes its questions without configuration, by the key of the process", async () => {
  const make = (name = "server"): Server => {
    const server = new Server({ name, version: "1.0.0" }, { onError: () => {} });
    server.addTool({ name: "ask" }, async (_, context) => {
      const { action } = await context.elicit({ message: "Sure?", requestedSchema: form });
      return action;
    });
    return server;
  };
  const first = await ask(make(), "ask", {});
  const { requestState } = first.result as { requestState: string };
  const answers = { "elicitation#1": { action: "decline" } };
  const second = await ask(make(), "ask", { requestState, inputResponses: answers });
  expect(second.result).toMatchObject({ content: [{ text: "decline" }] });
  // A server of another name has nothing to do with it.
  const other = await ask(make("other"), "ask", { requestState, inputResponses: answers });
  expect(other.error).toMatchObject({ code: -32602, data: { reason: "state-refused" } });
});

test("a request declares capabilities of its own in a modern session, and input requests are checked against them", async () => {
  const { modern } = shapes;
  const declared: unknown[] = [];
  await using made = await pair(modern as never, {}, { cache: false }, (server) => {
    server.addTool({ name: "look" }, async (_, context) => {
      declared.push(context.client.capabilities);
      const { action } = await context.elicit({ message: "Who?", requestedSchema: form });
      return action;
    });
  });
  const { session } = made;
  await session.callTool({ name: "look" });
  const failure = session.callTool({ name: "look" }, { capabilities: { roots: {} } });
  await expect(failure).rejects.toMatchObject({ code: -32021 });
  const byHand = await session.callTool(
    { name: "look" },
    { capabilities: { elicitation: { form: {} } }, autoFulfil: false },
  );
  expect(byHand).toMatchObject({ resultType: "input_required" });
  expect(declared.map((each) => Object.keys(each as object).sort())).toEqual([
    ["elicitation", "roots", "sampling"],
    ["elicitation", "roots", "sampling"],
    ["roots"],
    ["elicitation"],
  ]);
});

test("the capabilities of a client depend on the era that is negotiated, if they are a function", async () => {
  for (const [name, shape] of [
    ["legacy", shapes["memory"]],
    ["modern", shapes["modern"]],
  ] as const) {
    const eras: string[] = [];
    const seen: unknown[] = [];
    const client: ClientOptions = {
      capabilities: (era) => {
        eras.push(era);
        return era === "legacy" ? { elicitation: {} } : { roots: {} };
      },
    };
    await using made = await pair(shape as never, {}, client, (server) => {
      server.addTool({ name: "look" }, (_, context) => {
        seen.push(context.client.capabilities);
        return "ok";
      });
    });
    await made.session.callTool({ name: "look" });
    expect(new Set(eras)).toEqual(new Set([name]));
    expect(seen).toEqual([name === "legacy" ? { elicitation: {} } : { roots: {} }]);
  }
});

test.each(["memory", "GET", "stdio", "port", "store", "modern"])(
  "an update of a resource reaches only the clients that the server chooses, over %s (N5)",
  async (name) => {
    const got = { ann: 0, bob: 0 };
    const change = (who: "ann" | "bob"): ClientOptions => ({ onToolsChanged: () => void got[who]++ });
    const sessions: (ServerSession | undefined)[] = [];
    const shape = shapes[name];
    await using made = await pair(shape as never, {}, change("ann"), (server) => {
      server.addTool({ name: "me" }, (_, { session }) => {
        sessions.push(session);
        return "ok";
      });
    });
    const bob = await made.another(change("bob"));
    await made.session.callTool({ name: "me" });
    await bob.callTool({ name: "me" });
    const [annSession, bobSession] = sessions;
    const end = new AbortController();
    const annWatch = made.session.watch("test://a", { signal: end.signal });
    const bobWatch = bob.watch("test://a", { signal: end.signal });
    await Promise.all([annWatch.ready, bobWatch.ready]);
    const chosen: unknown[] = [];
    // The first client to be asked about is chosen; in 2026-07-28 requests tell them apart.
    let isFirst = true;
    made.server.resourceUpdated("test://a", {
      to: (receiver) => {
        chosen.push(receiver.request?.method ?? "session");
        const isChosen = receiver.request === undefined ? receiver.session === bobSession : isFirst;
        isFirst = false;
        return isChosen;
      },
    });
    const winner = await Promise.race([annWatch.next().then(() => "ann"), bobWatch.next().then(() => "bob")]);
    expect(winner).toBe(annSession === undefined ? "ann" : "bob");
    expect(chosen.length).toBeGreaterThan(1);
    const announced = made.session.listTools().then(() => undefined);
    made.server.announce(
      { method: "notifications/resources/updated", uri: "test://a", origin: "elsewhere" },
      { to: () => false },
    );
    await announced;
    end.abort();
  },
);

/** One modern request without a connection. */
async function ask(
  server: Server,
  name: string | undefined,
  params: object,
  method = "tools/call",
): Promise<{ result?: object; error?: { code: number; message: string; data?: unknown } }> {
  await using handler = createStreamableHandler({ getServer: () => server, sessions: false });
  const response = await handler.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": modernRevision,
        "mcp-method": method,
        ...(name === undefined ? {} : { "mcp-name": name }),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {
          ...(name === undefined ? {} : { name }),
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": modernRevision,
            "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
          },
        },
      }),
    }),
  );
  return (await response.json()) as never;
}

function noteFirst(ids: Map<string, unknown>, who: string, id: unknown): void {
  if (!ids.has(who)) {
    ids.set(who, id);
  }
}
