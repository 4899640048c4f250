import { createServer } from "node:http";

import { authorizationCode, createOAuth, type AuthStore } from "@tenon/sdk/auth/client";
import { loopbackReceiver } from "@tenon/sdk/auth/node";
import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { originOnFreePort } from "@tenon/test-support/http";
import { afterAll, expect, test } from "vitest";

import { checkStore } from "./broker/kit.ts";
import { startNodes, type Nodes } from "./broker/nodes.ts";
import { click, nodeAt, startNotes, storeTimeoutMs, upstreamAt } from "./broker/notes.ts";
import { openStores } from "./cluster/connect.ts";
import { kinds, stopServers } from "./cluster/stores.ts";

afterAll(stopServers);

/** A provider that knows one user, who agrees at once. */
async function startProvider(): Promise<AsyncDisposable & { readonly origin: string }> {
  const http = createServer(({ url = "" }, response) => {
    const asked = new URL(url, "http://127.0.0.1").searchParams;
    const back = asked.get("redirect_uri");
    if (back !== null) {
      const location = `${back}?code=c&state=${asked.get("state")}`;
      response.writeHead(302, { location }).end();
      return;
    }
    const said = url === "/token" ? { access_token: "a", token_type: "Bearer" } : { id: "ada" };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
  });
  const origin = await originOnFreePort(http);
  return {
    origin,
    [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

test.for(Object.entries(kinds))(
  "the store in %s has all that a broker needs, whichever of two nodes asks",
  async ([kind, make], { skip }) => {
    if (make === undefined) {
      skip(`There is no ${kind} on this machine`);
      return;
    }
    await using shared = await make();
    await using provider = await startProvider();
    const { place } = shared;
    const connect = async (): Promise<AsyncDisposable & { readonly auth: AuthStore }> => {
      if (place === undefined) {
        return shared.connect();
      }
      const opened = await openStores(place, storeTimeoutMs);
      return { auth: opened.stores.auth, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
    };
    const connected = await Promise.all([connect(), connect()]);
    await using notes = await startNotes(async (resource) => {
      const options = {
        upstream: upstreamAt(provider.origin),
        keys: ["a key of thirty-two characters, or more"],
      };
      // The memory of the broker has one process.
      const nodes =
        kind === "memory"
          ? [await nodeAt(resource, options)]
          : await Promise.all(
              connected.map(({ auth }) => nodeAt(resource, { ...options, stores: { auth } })),
            );
      let turn = 0;
      return (request, response) => nodes[turn++ % nodes.length]?.(request, response);
    });
    await checkStore(notes);
    await Promise.all(connected.map((one) => one[Symbol.asyncDispose]()));
  },
);

test.for(["postgres", "redis"] as const)(
  "two of three processes on %s are killed during a login, and its user notices nothing",
  async (kind, { skip }) => {
    const shared = await kinds[kind]?.();
    const place = shared?.place;
    if (shared === undefined || place === undefined) {
      skip(`There is no ${kind} on this machine`);
      return;
    }
    await using _ = shared;
    await using provider = await startProvider();
    let nodes: Nodes | undefined;
    await using notes = await startNotes(async (resource) => {
      nodes = await startNodes({ place, resource, provider: provider.origin });
      return nodes.balance;
    });
    await using started = nodes as unknown as Nodes;
    const visited: string[] = [];
    const cookies = new Map<string, string>();
    /** Clicks until the browser leaves the broker. */
    const clickOut = async (start: URL): Promise<URL> => {
      const outside = await click(
        start,
        (url) => !url.startsWith("/") && !url.startsWith(notes.url.origin),
        cookies,
      );
      visited.push(outside.origin === provider.origin ? "provider" : "client");
      return outside;
    };
    await using auth = createOAuth({
      server: notes.url.href,
      interactive: true,
      grant: authorizationCode({
        receiver: loopbackReceiver(),
        async open({ href }) {
          const asked = await clickOut(new URL(href));
          // The node that has sent the user to the provider is gone when the user comes back.
          await started.killLast();
          const back = new URL(asked.searchParams.get("redirect_uri") ?? "");
          back.searchParams.set("state", asked.searchParams.get("state") ?? "");
          back.searchParams.set("code", "c");
          const end = await clickOut(back);
          // And the node that has issued the code is gone when the client redeems it.
          await started.killLast();
          await fetch(end);
        },
      }),
    });
    const client = new Client({ name: "test", version: "1.0.0" });
    const session = await client.connect(new StreamableClientTransport(notes.url, { auth }));
    for (let count = 0; count < 4; count++) {
      const { content } = await session.callTool({ name: "who" });
      expect(content).toEqual([{ type: "text", text: "idp:ada" }]);
    }
    // One login, at one page of the provider, and one process is left.
    expect([visited, started.left]).toEqual([["provider", "client"], 1]);
    await session.close();
  },
);
