import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { Client, Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { Manager, type AuthProvider, type HostEvents } from "../src/index.ts";
import { nodeTransports } from "../src/node.ts";
import { once, until } from "./fixture.ts";

interface Far extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  /** The methods of all requests with their tokens, in order. */
  readonly seen: string[];
  /** Ends all connections, as an expired token does. */
  cut(): void;
}

/** A modern server that decides by the `Authorization` header. */
async function guarded(
  admits: (token: string, method: string, response: ServerResponse) => boolean,
  revision: Revision = modernRevision,
): Promise<Far> {
  const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [revision] });
  const handler = createStreamableHandler({ getServer: () => server });
  const seen: string[] = [];
  const http = createServer((request: IncomingMessage, response: ServerResponse) => {
    const method = String(request.headers["mcp-method"] ?? request.method);
    const token = String(request.headers.authorization);
    seen.push(`${method} ${token}`);
    if (admits(token, method, response)) {
      void handler.node(request, response, {});
    } else if (!response.headersSent) {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    }
  });
  const origin = await originOnFreePort(http);
  return {
    url: `${origin}/mcp`,
    server,
    seen,
    cut: () => http.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      await handler.close({ drainMs: 0 });
      http.closeAllConnections();
      http.close();
    },
  };
}

interface Login extends AuthProvider {
  /** Who is logged in. */
  account: string | undefined;
  /** Logs in, as a person would in a browser. */
  set(account: string | undefined): void;
  readonly logins: number;
  readonly listeners: number;
}

/** A provider that sends the name of the account that is logged in, or nothing. */
function loginOf(next: string): Login {
  const listeners = new Set<() => void>();
  const login: Login = {
    account: undefined,
    logins: 0,
    headers: () => (login.account === undefined ? undefined : { authorization: login.account }),
    get authorizationContext() {
      return login.account;
    },
    get listeners() {
      return listeners.size;
    },
    changed(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set(account) {
      login.account = account;
      listeners.forEach((listener) => listener());
    },
    login() {
      (login as { logins: number }).logins++;
      login.set(next);
      return Promise.resolve();
    },
  };
  return login;
}

function managerOf(far: Far, auth: AuthProvider): Manager {
  return new Manager({
    servers: { far: { type: "http", url: far.url } },
    transports: nodeTransports({ auth: () => auth }),
  });
}

test("a server that needs a login is connected to by itself once its provider has new credentials", async () => {
  await using far = await guarded((token) => token === "alice");
  const auth = loginOf("alice");
  await using manager = managerOf(far, auth);
  await manager.connectAll();
  expect(manager.snapshot.get("far")?.state).toBe("needs_auth");
  const states: string[] = [];
  manager.on("state", ({ to }) => states.push(to));
  auth.set("alice");
  await until(() => manager.snapshot.get("far")?.state === "ready");
  expect(states).toEqual(["connecting", "ready"]);
  expect(auth.listeners).toBe(0);
});

test("the login of auth_required resolves when the server is connected", async () => {
  await using far = await guarded((token) => token === "alice");
  const auth = loginOf("alice");
  await using manager = managerOf(far, auth);
  const required = once(manager, "auth_required");
  await manager.connectAll();
  const { server, login } = await required;
  expect(server).toBe("far");
  expect(auth.logins).toBe(0);
  await login?.();
  expect(auth.logins).toBe(1);
  expect(manager.snapshot.get("far")?.state).toBe("ready");
});

test("a login that ends after its manager was closed opens no connection", async () => {
  await using far = await guarded((token) => token === "alice");
  const auth = loginOf("alice");
  const manager = managerOf(far, auth);
  const required = once(manager, "auth_required");
  await manager.connectAll();
  const { login } = await required;
  await manager.close();
  const before = far.seen.length;
  await expect(login?.()).rejects.toMatchObject({ code: "SERVER_GONE" });
  expect([auth.logins, manager.get("far"), far.seen.length]).toEqual([1, undefined, before]);
});

test("a provider that cannot log in leaves login out", async () => {
  await using far = await guarded(() => false);
  await using manager = managerOf(far, { headers: () => undefined });
  const required = once(manager, "auth_required");
  await manager.connectAll();
  expect((await required).login).toBeUndefined();
});

test("a call that needs a further scope asks for a login once, is not repeated, and leaves the server ready", async () => {
  await using far = await guarded((token, method, response) => {
    if (method !== "tools/call" || token === "writer") {
      return true;
    }
    const challenge = 'Bearer error="insufficient_scope", scope="write"';
    response.writeHead(403, { "www-authenticate": challenge }).end();
    return false;
  });
  far.server.addTool({ name: "write" }, () => "written");
  const auth = loginOf("writer");
  auth.refused = () => {
    throw Object.assign(new Error("log in for the scope write"), { code: "NEEDS_USER", status: 403 });
  };
  auth.account = "reader";
  await using manager = managerOf(far, auth);
  await manager.connectAll();
  const events: HostEvents["auth_required"][] = [];
  manager.on("auth_required", (event) => events.push(event));
  await expect(manager.callTool("far", "write")).rejects.toMatchObject({
    code: "REQUEST_FAILED",
    retryable: false,
    cause: { code: "NEEDS_USER" },
  });
  expect(events.map(({ server }) => server)).toEqual(["far"]);
  expect(manager.snapshot.get("far")?.state).toBe("ready");
  expect(far.seen.filter((line) => line.startsWith("tools/call"))).toEqual(["tools/call reader"]);
  await events[0]?.login?.();
  expect((await manager.callTool("far", "write")).content).toMatchObject([{ text: "written" }]);
});

test("a lost server that requires other credentials is not asked again and again", async () => {
  let admitted = "alice";
  await using far = await guarded((token) => token === admitted, legacyRevision);
  const auth = loginOf("bob");
  auth.account = "alice";
  await using manager = new Manager({
    servers: { far: { type: "http", url: far.url } },
    transports: nodeTransports({ auth: () => auth }),
    reconnect: { initialDelayMs: 1 },
  });
  const session = (await manager.connectAll()) && manager.get("far");
  admitted = "bob";
  const before = far.seen.length;
  const required = once(manager, "auth_required");
  await session?.close({ drainMs: 0 });
  await required;
  expect(manager.snapshot.get("far")?.state).toBe("needs_auth");
  // The farewell, and one attempt: the probe or the handshake of a server of either era.
  expect(far.seen.slice(before).filter((line) => line.startsWith("POST")).length).toBeLessThanOrEqual(2);
});

test("private resources of one account are not given to the next", async () => {
  await using far = await guarded(() => true);
  let reads = 0;
  far.server.addResource({ uri: "notes://mine", name: "mine", cache: { ttlMs: 60_000 } }, () => {
    reads++;
    return `note ${reads}`;
  });
  const auth = loginOf("alice");
  auth.account = "alice";
  await using manager = managerOf(far, auth);
  await manager.connectAll();
  const read = async (): Promise<unknown> => (await manager.readResource("far", "notes://mine")).contents;
  expect(await read()).toMatchObject([{ text: "note 1" }]);
  expect(await read()).toMatchObject([{ text: "note 1" }]);
  auth.set("bob");
  expect(await read()).toMatchObject([{ text: "note 2" }]);
  expect(reads).toBe(2);
});

test("a client caches private results by the account of the transport's provider", async () => {
  await using far = await guarded(() => true);
  let reads = 0;
  far.server.addResource({ uri: "notes://mine", name: "mine", cache: { ttlMs: 60_000 } }, () => {
    reads++;
    return `note ${reads}`;
  });
  const auth = loginOf("alice");
  await using client = new Client({ name: "client", version: "1.0.0" });
  const session = await client.connect(new StreamableClientTransport(far.url, { auth }));
  const readAs = async (account: string): Promise<unknown> => {
    auth.set(account);
    return (await session.readResource({ uri: "notes://mine" })).contents;
  };
  expect(await readAs("alice")).toMatchObject([{ text: "note 1" }]);
  expect(await readAs("bob")).toMatchObject([{ text: "note 2" }]);
  expect(await readAs("alice")).toMatchObject([{ text: "note 1" }]);
});

test("a subscription that is refused for its credentials goes on when they have changed", async () => {
  let admitted = "old";
  await using far = await guarded((token) => token === admitted);
  far.server.addResource({ uri: "notes://1", name: "one" }, () => "text");
  const auth = loginOf("new");
  auth.account = "old";
  await using manager = managerOf(far, auth);
  await manager.connectAll();
  const session = manager.get("far");
  const watch = session?.watch("notes://1");
  await watch?.ready;
  admitted = "new";
  far.cut();
  const refused = "subscriptions/listen old";
  const isRefused = (): boolean => far.seen.filter((line) => line === refused).length === 2;
  await expect.poll(isRefused).toBe(true);
  auth.set("new");
  const next = await watch?.next();
  // It may have missed updates.
  expect(next).toMatchObject({ done: false, value: { uri: "notes://1" } });
  expect(far.seen.at(-1)).toBe("subscriptions/listen new");
});
