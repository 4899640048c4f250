import { RpcError, type Handler } from "@tenon/jsonrpc2";
import { transportHint } from "@tenon/jsonrpc2/transport";
import { legacyRevision } from "@tenon/test-support";
import {
  createMemoryEventStore,
  createStreamableHandler,
  StreamableServerTransport,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { codeOf, common, echo, listen, modern, open, peerServer, post } from "./setup.ts";

const url = "http://localhost/mcp";
const metadataUrl = "https://notes.example.com/.well-known/oauth-protected-resource/mcp";
const auth = { principal: "alice", scopes: ["notes:read"], metadataUrl };

type Authorize = NonNullable<StreamableHandlerOptions["authorize"]>;

/** Everything but `tools/call` is allowed; that needs the scope that its tool is named by. */
const byTool: Authorize = ({ method, params }, sender) => {
  const { name } = (params ?? {}) as { name?: string };
  return method !== "tools/call" || sender.auth?.scopes?.includes(String(name)) === true
    ? undefined
    : { scopes: [String(name)] };
};

const refuseAll: Authorize = () => ({ scopes: ["notes:write"], description: 'Notes need "write"' });

/** An error as `InsufficientScope` of `@tenon/auth/server` is one. */
function insufficient(scopes: readonly string[]): RpcError {
  return Object.defineProperty(new RpcError(-32600, "Forbidden"), transportHint, { value: { scopes } });
}

test("a modern request that is refused gets 403, a challenge and its id, and its handler does not run (R-728)", async () => {
  let runs = 0;
  const server = peerServer(() => ({ runs: ++runs }));
  await using handler = createStreamableHandler({ getServer: () => server, authorize: refuseAll });
  const response = await handler.serve(new Request(url, modern("tools/list", {}, "seven")), { auth });
  expect(response.status).toBe(403);
  expect(response.headers.get("www-authenticate")).toBe(
    `Bearer error="insufficient_scope", error_description="Notes need 'write'", scope="notes:write", resource_metadata="${metadataUrl}"`,
  );
  expect(await response.json()).toEqual({
    jsonrpc: "2.0",
    id: "seven",
    error: { code: -32600, message: 'Notes need "write"' },
  });
  expect(runs).toBe(0);
});

test("headers that contradict the body are refused before authorize is asked", async () => {
  let asked = 0;
  const authorize: Authorize = () => void asked++;
  const server = peerServer(echo);
  await using handler = createStreamableHandler({ getServer: () => server, authorize });
  const request = modern("tools/list");
  const headers = { ...request.headers, "mcp-method": "ping" };
  expect((await handler.fetch(new Request(url, { ...request, headers }))).status).toBe(400);
  expect(asked).toBe(0);
});

test("a challenge names the scheme of the credentials, and nothing if no scope would help", async () => {
  const server = peerServer(echo);
  let scopes: readonly string[] = ["a"];
  await using handler = createStreamableHandler({ getServer: () => server, authorize: () => ({ scopes }) });
  const ask = (): Promise<Response> =>
    handler.serve(new Request(url, modern("tools/list")), { auth: { principal: "alice", binding: "dpop" } });
  expect((await ask()).headers.get("www-authenticate")).toBe('DPoP error="insufficient_scope", scope="a"');
  scopes = [];
  const hopeless = await ask();
  expect(hopeless.status).toBe(403);
  expect(hopeless.headers.get("www-authenticate")).toBeNull();
});

test.each([
  ["a promise", () => Promise.resolve(undefined)],
  ["true", () => true],
  ["false", () => false],
  ["null", () => null],
  ["a scope with a quote", () => ({ scopes: ['a"b'] })],
  ["no array", () => ({ scopes: "notes:write" })],
  [
    "an exception",
    () => {
      throw new Error("no");
    },
  ],
])("what authorize may not return refuses the request with 500: %s", async (_, authorize) => {
  const errors: unknown[] = [];
  const server = peerServer(echo);
  await using handler = createStreamableHandler({
    getServer: () => server,
    authorize: authorize as unknown as Authorize,
    onError: (error) => void errors.push(error),
  });
  expect((await handler.fetch(new Request(url, modern("tools/list")))).status).toBe(500);
  expect(errors).toHaveLength(1);
});

test("in a session each request is judged by its own credentials, and initialize too", async () => {
  const scopesOf = new Map([
    ["Bearer small", ["a"]],
    ["Bearer large", ["a", "b"]],
    ["Bearer none", undefined],
  ]);
  const authorize: Authorize = (message, sender) =>
    sender.auth?.scopes === undefined ? { scopes: ["a"] } : byTool(message, sender);
  await using listening = await listen(
    echo,
    {
      authenticate: ({ headers }) => ({
        principal: "alice",
        scopes: scopesOf.get(headers.get("authorization") ?? ""),
      }),
      authorize,
    },
    undefined,
  );
  const { url: endpoint } = listening;
  const first = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: legacyRevision } };
  const refused = await post(endpoint, first, { authorization: "Bearer none" });
  expect(refused.status).toBe(403);
  expect(refused.headers.get("mcp-session-id")).toBeNull();
  const session = await open(endpoint, { authorization: "Bearer small" });
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "b" } };
  const denied = await post(endpoint, call, session);
  expect(denied.status).toBe(403);
  expect(denied.headers.get("www-authenticate")).toContain('scope="b"');
  expect(await denied.json()).toMatchObject({ id: 2, error: { code: -32600 } });
  const allowed = await post(endpoint, call, { ...session, authorization: "Bearer large" });
  expect(allowed.status).toBe(200);
  await allowed.body?.cancel();
});

test("A-067: one forbidden member refuses a whole batch with the scopes of all, and nothing of it runs", async () => {
  const ran: string[] = [];
  const handle: Handler = (scope) => {
    ran.push(scope.method);
    return {};
  };
  await using listening = await listen(handle, { authorize: byTool }, () => ({ auth }));
  const session = await open(listening.url, {}, "2025-03-26");
  const call = (id: number, name: string): object => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name },
  });
  const batch = [
    call(1, "notes:read"),
    call(2, "b"),
    call(3, "c"),
    { jsonrpc: "2.0", id: 4, method: "ping" },
  ];
  const refused = await post(listening.url, batch, session);
  expect(refused.status).toBe(403);
  expect(refused.headers.get("www-authenticate")).toContain('scope="b c"');
  expect(await refused.json()).toMatchObject({ id: null, error: { code: -32600 } });
  expect(ran).toEqual([]);
  const served = await post(listening.url, [call(5, "notes:read")], session);
  expect(served.status).toBe(200);
  await served.text();
  expect(ran).toEqual(["tools/call"]);
});

test("notifications are judged as well", async () => {
  await using listening = await listen(echo, {
    authorize: ({ method }) => (method.startsWith("notifications/") ? { scopes: ["notify"] } : undefined),
  });
  const note = { jsonrpc: "2.0", method: "notifications/initialized" };
  expect((await post(listening.url, note)).status).toBe(403);
  expect((await post(listening.url, note, await open(listening.url))).status).toBe(403);
});

test("StreamableServerTransport asks authorize about every message", async () => {
  const transport = new StreamableServerTransport({ authorize: byTool });
  await using _peer = await peerServer(echo).connect(transport);
  const send = (message: object, headers = {}): Promise<Response> =>
    transport.fetch(
      new Request(url, { method: "POST", headers: { ...common, ...headers }, body: JSON.stringify(message) }),
      { auth },
    );
  const params = {
    protocolVersion: legacyRevision,
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  expect((await send({ jsonrpc: "2.0", id: 1, method: "initialize", params })).status).toBe(200);
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "b" } };
  expect((await send(call, { "mcp-session-id": transport.sessionId })).status).toBe(403);
});

test.each(["modern", "session", "no session"])(
  "a handler that finds out that scopes are lacking turns its own response into 403: %s",
  async (kind) => {
    const handle: Handler = async () => {
      await Promise.resolve();
      throw insufficient(["notes:admin"]);
    };
    await using listening = await listen(handle, { onError: () => {} }, () => ({ auth }));
    const message = { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} };
    const response =
      kind === "modern"
        ? await fetch(listening.url, modern("tools/list", {}, 7))
        : await post(listening.url, message, kind === "session" ? await open(listening.url) : {});
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_scope", scope="notes:admin", resource_metadata="${metadataUrl}"`,
    );
    expect(await response.json()).toMatchObject({ id: 7, error: { code: -32600, message: "Forbidden" } });
  },
);

test("once the response is a stream, a lack of scopes is an error in it", async () => {
  const handle: Handler = async (scope) => {
    await scope.notify("notifications/progress", { progressToken: 1, progress: 1 });
    throw insufficient(["notes:admin"]);
  };
  await using listening = await listen(handle, { onError: () => {} });
  const response = await fetch(listening.url, modern("tools/list"));
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('"error":{"code":-32600,"message":"Forbidden"}');
  await using keeping = await listen(handle, {
    onError: () => {},
    sessions: { eventStore: createMemoryEventStore() },
  });
  const message = { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} };
  const inSession = await post(keeping.url, message, await open(keeping.url));
  expect(inSession.status).toBe(200);
  expect(await inSession.text()).toContain('"code":-32600');
});

test("an error with a status and headers of another library does not change the response", async () => {
  const error = Object.assign(new RpcError(-32000, "upstream"), {
    status: 403,
    headers: { "www-authenticate": "Basic" },
  });
  await using listening = await listen(() => {
    throw error;
  });
  const response = await fetch(listening.url, modern("tools/list"));
  expect(response.status).toBe(200);
  expect(response.headers.get("www-authenticate")).toBeNull();
  expect(await codeOf(response)).toBe(-32000);
});

test("A-065: handlers cannot read the credentials of a sender that was identified", async () => {
  const seen: unknown[] = [];
  const handle: Handler = ({ extra }) => {
    const { http } = extra as { http: { headers: { get(name: string): string | undefined } } };
    seen.push(["Authorization", "DPoP", "X-Other"].map((name) => http.headers.get(name)));
    return {};
  };
  const headers = { authorization: "Bearer secret", dpop: "proof", "x-other": "shown" };
  const request = modern("tools/list");
  const ask = (endpoint: URL): Promise<Response> =>
    fetch(endpoint, { ...request, headers: { ...request.headers, ...headers } });
  await using known = await listen(handle, { authenticate: () => ({ principal: "alice" }) });
  await (await ask(known.url)).text();
  await using unknown = await listen(handle);
  await (await ask(unknown.url)).text();
  expect(seen).toEqual([
    [undefined, undefined, "shown"],
    ["Bearer secret", "proof", "shown"],
  ]);
});
