import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { createGuard, tokenExchange } from "@tenon/auth/server";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { openapi, type OpenApiOptions } from "@tenon/openapi";
import type { Revision } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { CommandTransport } from "@tenon/transports-stdio/client";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import {
  createStreamableHandler,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test, vi } from "vitest";

import { createRunning } from "../src/source/running.ts";
import { documentPath, startApi, type Api } from "./api.ts";

type Connect = (api: Api, revision: Revision) => Promise<ClientSession>;

const shop = documentPath("bookshop.yaml");
const clientOf = (revision: Revision): Client =>
  new Client({ name: "c", version: "1.0.0" }, { revisions: [revision], cache: false });

/** Serves an API over HTTP. @returns The URL. */
async function served(
  options: OpenApiOptions,
  more: Partial<StreamableHandlerOptions> = {},
): Promise<string> {
  const server = new Server({ name: "shop", version: "1.0.0" });
  server.use(await openapi(shop, options));
  const handler = createStreamableHandler({ getServer: () => server, ...more });
  const http = createServer((request, response) => void handler.node(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await handler.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
}

const connections: Readonly<Record<string, Connect>> = {
  "HTTP with sessions": async ({ url }, revision) =>
    clientOf(revision).connect(new StreamableClientTransport(await served({ server: url }))),
  "HTTP without sessions": async ({ url }, revision) =>
    clientOf(revision).connect(
      new StreamableClientTransport(await served({ server: url }, { sessions: false })),
    ),
  stdio: ({ url }, revision) =>
    clientOf(revision).connect(
      new CommandTransport({
        command: process.execPath,
        args: [fileURLToPath(new URL("fixtures/stdio.mjs", import.meta.url)), url, shop],
      }),
    ),
};
const cells = Object.keys(connections).flatMap((kind) =>
  [legacyRevision, modernRevision].map((revision) => [kind, revision] as const),
);

test.each(cells)("an API is called over %s in %s", async (kind, revision) => {
  const api = await startApi();
  api.answer = ({ target }) =>
    target.endsWith("/covers/7")
      ? { body: Buffer.from("iVA=", "base64"), headers: { "content-type": "image/png" } }
      : target === "/books/none"
        ? { status: 404, body: { error: "no such book" } }
        : { body: { id: "7", title: "Solaris", price: 3 } };
  const session = await (connections[kind] as Connect)(api, revision);
  onTestFinished(() => session.close({ drainMs: 0 }));
  const { tools } = await session.listTools();
  expect(tools).toHaveLength(7);
  const book = await session.callTool({ name: "getBook", arguments: { bookId: "7" } });
  expect(book.structuredContent).toEqual({ id: "7", title: "Solaris", price: 3 });
  const missing = await session.callTool({ name: "getBook", arguments: { bookId: "none" } });
  expect(missing.isError).toBe(true);
  expect(JSON.stringify(missing.content)).toContain("404");
});

test("the token of each caller is exchanged for one that the API accepts", async () => {
  const api = await startApi();
  api.answer = ({ target, headers, body }) =>
    target === "/token"
      ? {
          body: {
            access_token: `api-token-of-${new URLSearchParams(body.toString()).get("subject_token")}`,
            token_type: "Bearer",
            expires_in: 60,
          },
        }
      : { body: String(headers.authorization), headers: { "content-type": "text/plain" } };
  const exchange = tokenExchange({
    endpoint: `${api.url}/token`,
    client: { clientId: "shop", clientSecret: "secret" },
  });
  const url = await served(
    {
      server: api.url,
      credentials: {
        oauth: async ({ context: { auth }, scopes }) =>
          (await exchange(auth, { audience: "orders", scopes: [...scopes] })).token,
      },
    },
    createGuard({
      resource: "https://shop.example.com/mcp",
      scopes: [],
      keepToken: true,
      verify: (token) =>
        Promise.resolve({
          issuer: "https://login.example.com",
          subject: token,
          clientId: "editor",
          audience: "https://shop.example.com/mcp",
          scopes: [],
          expiresAt: Date.now() + 600_000,
        }),
    }),
  );
  for (const user of ["ada-lovelace", "bob-martin"]) {
    const transport = new StreamableClientTransport(url, { headers: { authorization: `Bearer ${user}` } });
    const session = await clientOf(modernRevision).connect(transport);
    await session.callTool({ name: "placeOrder", arguments: { body: { payment: { kind: "Invoice" } } } });
    await session.close({ drainMs: 0 });
  }
  const orders = api.requests.filter(({ target }) => target === "/orders");
  expect(orders.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer api-token-of-ada-lovelace",
    "Bearer api-token-of-bob-martin",
  ]);
});

test("a client that uses its half of the calls in flight leaves the others to other clients", async () => {
  const api = await startApi();
  const held: ServerResponse[] = [];
  api.answer = ({ target }) =>
    target === "/books/slow" ? { write: (response) => void held.push(response) } : { body: { id: "7" } };
  const url = await served(
    { server: api.url, limits: { maxInFlight: 4 } },
    { authenticate: ({ headers }) => ({ principal: headers.get("x-user") ?? "" }) },
  );
  const open = (user: string): Promise<ClientSession> =>
    clientOf(modernRevision).connect(new StreamableClientTransport(url, { headers: { "x-user": user } }));
  const [stranger, person] = [await open("stranger"), await open("person")];
  const call = (session: ClientSession, bookId: string) =>
    session.callTool({ name: "getBook", arguments: { bookId } });
  const slow = [call(stranger, "slow"), call(stranger, "slow")];
  await vi.waitUntil(() => held.length === 2);
  expect((await call(stranger, "7")).isError).toBe(true);
  expect((await call(person, "7")).isError).toBeUndefined();
  held.forEach((response) => response.writeHead(204).end());
  await Promise.all(slow);
  expect((await call(stranger, "7")).isError).toBeUndefined();
  await Promise.all([stranger, person].map((session) => session.close({ drainMs: 0 })));
});

test("addresses of one network of IPv6 are one client", () => {
  const running = createRunning(4);
  const from = (address: string) =>
    running.begin({
      auth: undefined,
      http: { method: "POST", url: "/mcp", headers: new Map(), address },
    });
  expect([from("2001:db8::1"), from("2001:db8::2")]).toEqual([expect.any(Function), expect.any(Function)]);
  expect(from("2001:db8::3")).toBeUndefined();
  expect(from("2001:db8:0:1::3")).toBeDefined();
});
