import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { authorizationCode, createOAuth, type OAuthOptions, type OAuthProvider } from "@tenon/auth/client";
import { loopbackReceiver } from "@tenon/auth/node";
import { createGuard, dpopProofs } from "@tenon/auth/server";
import { Client } from "@tenon/mcp/client";
import { Server } from "@tenon/mcp/server";
import { createNodeListener } from "@tenon/node";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";

import { createBroker, development, type Broker, type BrokerOptions } from "../src/index.ts";
import { createMemoryAuthStore } from "../src/store/memory.ts";
import { allowAll, type Browser } from "./browser.ts";

/** A server on a port of 127.0.0.1. */
export interface Listening extends AsyncDisposable {
  readonly origin: string;
}

/** Listens before the listener is known, because the listener needs the port. */
export async function listenAt(make: (origin: string) => Promise<RequestListener>): Promise<Listening> {
  let listener: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  listener = await make(origin);
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** A store in memory, and how often something was written into it. */
export function countingStore(): {
  readonly auth: ReturnType<typeof createMemoryAuthStore>;
  puts(): number;
} {
  let puts = 0;
  const memory = createMemoryAuthStore();
  const auth: typeof memory = {
    ...memory,
    put(key, value, options) {
      puts++;
      return memory.put(key, value, options);
    },
  };
  return { auth, puts: () => puts };
}

/** Options for tests: everything but what they are about. */
export type GivenOptions = Partial<BrokerOptions>;

/** A protected MCP server with a broker. */
export interface Protected extends Listening {
  readonly resource: string;
  readonly broker: Broker;
  /** What `onError` got. */
  readonly errors: unknown[];
}

export const scopes = { "notes:read": "Read your notes", "notes:write": "Change your notes" };

/** Starts an MCP server whose users log in by the broker. */
export async function startProtected(
  given: GivenOptions | ((origin: string) => GivenOptions) = {},
): Promise<Protected> {
  const errors: unknown[] = [];
  let broker: Broker | undefined;
  let resource = "";
  const listening = await listenAt(async (origin) => {
    resource = `${origin}/mcp`;
    const options = typeof given === "function" ? given(origin) : given;
    broker = await createBroker({
      resource,
      scopes,
      upstream: development(),
      name: "Notes",
      onError: (error) => errors.push(error),
      ...options,
    });
    return protectedListener(broker, resource);
  });
  if (broker === undefined) {
    throw new Error("The broker did not start.");
  }
  return { ...listening, resource, broker, errors };
}

/** The listener of an MCP server with the tools `who_am_i` and `upstream`. */
export function protectedListener(broker: Broker, resource: string): RequestListener {
  const server = new Server({ name: "notes", version: "1.0.0" });
  server.addTool({ name: "who_am_i" }, async (_, { auth }) => {
    const account = await broker.accountOf(auth);
    return JSON.stringify({
      subject: auth?.subject,
      email: account?.email,
      scopes: auth?.scopes,
      binding: auth?.binding,
    });
  });
  server.addTool({ name: "upstream" }, async (_, { auth }) => broker.upstreamToken(auth));
  const guard = createGuard({ resource, verify: broker.verify, scopes: ["notes:read"], dpop: dpopProofs() });
  const handler = createStreamableHandler({ getServer: () => server, ...guard });
  return createNodeListener(handler, { path: "/mcp", routes: broker.routes });
}

/** Our own client, by default options, with a browser. */
export function clientAuth(
  resource: string,
  browser: Browser,
  options: Partial<OAuthOptions> = {},
): OAuthProvider {
  return createOAuth({
    server: resource,
    interactive: true,
    grant: authorizationCode({
      receiver: loopbackReceiver(),
      open({ href }) {
        allowAll(browser, href).catch(() => {});
      },
    }),
    client: { metadata: { name: "Notes client" } },
    ...options,
  });
}

/** Calls a tool as the user of a browser. */
export async function callTool(resource: string, auth: OAuthProvider, name = "who_am_i"): Promise<string> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const session = await client.connect(new StreamableClientTransport(resource, { auth }));
  try {
    const { content } = await session.callTool({ name });
    const [first] = content;
    return first?.type === "text" ? first.text : JSON.stringify(content);
  } finally {
    await session.close();
  }
}
