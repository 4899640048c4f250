import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  type OAuthClientProvider as ProviderV2,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createBroker, development, oauth2, type BrokerOptions } from "@tenon/broker";
import { authorizationCode, createOAuth } from "@tenon/sdk/auth/client";
import { loopbackReceiver } from "@tenon/sdk/auth/node";
import { createGuard } from "@tenon/sdk/auth/server";
import { Client } from "@tenon/sdk/client";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/sdk/http";
import { createNodeListener } from "@tenon/sdk/node";
import { Server } from "@tenon/sdk/server";
import { afterAll, expect, test } from "vitest";

import { kinds, stopServers } from "./cluster/stores.ts";

afterAll(stopServers);

const redirectUrl = "http://localhost:8765/callback";

/** A node of a server with a broker. */
async function nodeAt(resource: string, options: Partial<BrokerOptions>): Promise<RequestListener> {
  const scopes = { "notes:read": "Read your notes" };
  const broker = await createBroker({ resource, scopes, upstream: development(), ...options });
  const server = new Server({ name: "notes", version: "1.0.0" });
  server.addTool({ name: "who" }, (_, { auth }) => auth?.subject ?? "nobody");
  const guard = createGuard({ resource, verify: broker.verify, scopes: ["notes:read"] });
  const handler = createStreamableHandler({ getServer: () => server, ...guard });
  return createNodeListener(handler, { path: "/mcp", routes: broker.routes });
}

interface Notes extends AsyncDisposable {
  readonly url: URL;
}

async function startNotes(
  make: (resource: string) => Promise<RequestListener> = (resource) => nodeAt(resource, {}),
): Promise<Notes> {
  let listener: RequestListener = (_, response) => response.writeHead(503).end();
  const http = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const resource = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  listener = await make(resource);
  return {
    url: new URL(resource),
    [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

/** A user who clicks through the pages. Returns where the browser is sent in the end. */
async function click(
  start: URL,
  isEnd = (url: string) => url.startsWith(redirectUrl),
  cookies = new Map<string, string>(),
): Promise<URL> {
  let [url, body]: [URL, URLSearchParams | undefined] = [start, undefined];
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const init = body === undefined ? {} : { method: "POST", body };
    const response = await fetch(url, {
      ...init,
      headers: { cookie, accept: "text/html" },
      redirect: "manual",
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const page = await response.text();
    const button = /name="do" value="(allow|with:[^"]+)"/.exec(page)?.[1];
    const link = /<a class="button" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&#38;", "&");
    const fields = [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)];
    body = undefined;
    if (location !== null && isEnd(location)) {
      return new URL(location);
    }
    if (location !== null) {
      url = new URL(location, url);
    } else if (button === undefined) {
      url = new URL(link ?? "", url);
    } else {
      body = new URLSearchParams({
        ...Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value])),
        do: button,
      });
      url = new URL("/login", url);
    }
  }
  throw new Error(`The pages do not end: ${url.href}`);
}

/** What a program keeps for the official clients, by their default options. */
function keeping(): { readonly provider: OAuthClientProvider; back(): Promise<URL> } {
  const kept: Record<string, unknown> = {};
  let asked: URL | undefined;
  return {
    provider: {
      redirectUrl,
      clientMetadata: {
        client_name: "Official client",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
      clientInformation: () => kept["client"] as { client_id: string } | undefined,
      saveClientInformation: (value) => void (kept["client"] = value),
      tokens: () => kept["tokens"] as { access_token: string; token_type: string } | undefined,
      saveTokens: (value) => void (kept["tokens"] = value),
      codeVerifier: () => String(kept["verifier"]),
      saveCodeVerifier: (value) => void (kept["verifier"] = value),
      redirectToAuthorization: (url) => void (asked = url),
    },
    back: () => (asked === undefined ? Promise.reject(new Error("No login was asked for")) : click(asked)),
  };
}

const whoCall = { name: "who", arguments: {} };
const alice = [{ type: "text", text: "development:alice" }];

test("the official client 1.x logs in through the broker, by default options (R-742, R-748)", async () => {
  await using notes = await startNotes();
  const { provider, back } = keeping();
  const connect = async (): Promise<ClientV1> => {
    const client = new ClientV1({ name: "official", version: "1.0.0" });
    await client.connect(new TransportV1(notes.url, { authProvider: provider }));
    return client;
  };
  await expect(connect()).rejects.toThrow(/[Uu]nauthorized/);
  const transport = new TransportV1(notes.url, { authProvider: provider });
  await transport.finishAuth((await back()).searchParams.get("code") ?? "");
  const client = await connect();
  expect((await client.callTool(whoCall)).content).toEqual(alice);
  await client.close();
});

test("the official client 2.x logs in through the broker, by default options (R-753)", async () => {
  await using notes = await startNotes();
  const { provider, back } = keeping();
  const authProvider = provider as unknown as ProviderV2;
  const connect = async (): Promise<ClientV2> => {
    const client = new ClientV2({ name: "official", version: "1.0.0" });
    await client.connect(new TransportV2(notes.url, { authProvider }));
    return client;
  };
  await expect(connect()).rejects.toThrow(/[Uu]nauthorized/);
  await new TransportV2(notes.url, { authProvider }).finishAuth((await back()).searchParams);
  const client = await connect();
  expect((await client.callTool(whoCall)).content).toEqual(alice);
  await client.close();
});

test.for(Object.entries(kinds).filter(([kind]) => kind !== "memory"))(
  "three nodes share their logins in %s, and one of them ends in the middle of a login",
  async ([kind, make], { skip }) => {
    if (make === undefined) {
      skip(`There is no ${kind} on this machine`);
      return;
    }
    await using shared = await make();
    const connected = await Promise.all([shared.connect(), shared.connect(), shared.connect()]);
    const nodes: RequestListener[] = [];
    let turn = 0;
    /** Where the provider sends the browser: it agrees at once. */
    const upstream = oauth2({
      id: "idp",
      name: "IdP",
      clientId: "notes",
      authorizationEndpoint: "https://idp.example/authorize",
      tokenEndpoint: "https://idp.example/token",
      userinfo: { url: "https://idp.example/me" },
      profile: { subject: "id" },
    });
    const options: Partial<BrokerOptions> = {
      upstream,
      keys: ["a key of thirty-two characters, or more"],
      fetch: (url) =>
        Promise.resolve(
          Response.json(url.endsWith("/token") ? { access_token: "a", token_type: "Bearer" } : { id: "ada" }),
        ),
    };
    await using notes = await startNotes(async (resource) => {
      for (const { auth } of connected) {
        nodes.push(await nodeAt(resource, { ...options, stores: { auth } }));
      }
      return (request, response) => nodes[turn++ % nodes.length]?.(request, response);
    });
    let atProvider = 0;
    await using auth = createOAuth({
      server: notes.url.href,
      interactive: true,
      grant: authorizationCode({
        receiver: loopbackReceiver(),
        async open({ href }) {
          const cookies = new Map<string, string>();
          const isEnd = (url: string): boolean => !url.startsWith("/") && !url.startsWith(notes.url.origin);
          const asked = await click(new URL(href), isEnd, cookies);
          atProvider++;
          nodes.shift();
          await connected[0]?.[Symbol.asyncDispose]();
          const back = new URL(asked.searchParams.get("redirect_uri") ?? "");
          back.searchParams.set("state", asked.searchParams.get("state") ?? "");
          back.searchParams.set("code", "c");
          await fetch(await click(back, isEnd, cookies));
        },
      }),
    });
    const client = new Client({ name: "test", version: "1.0.0" });
    const session = await client.connect(new StreamableClientTransport(notes.url, { auth }));
    for (let count = 0; count < 4; count++) {
      expect((await session.callTool(whoCall)).content).toEqual([{ type: "text", text: "idp:ada" }]);
    }
    expect([atProvider, nodes.length]).toEqual([1, 2]);
    await session.close();
    await Promise.all(connected.slice(1).map((one) => one[Symbol.asyncDispose]()));
  },
);
