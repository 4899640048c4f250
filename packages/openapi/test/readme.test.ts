import { Client, Server, type ClientSession } from "@tenon/mcp";
import { nextArgumentsKey, openapi } from "@tenon/openapi";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test, vi } from "vitest";

import { documentPath } from "./api.ts";

const path = documentPath("bookshop.yaml");

/** A server with the operations of a document. */
async function serveShop(): Promise<Server> {
  // #region start
  const server = new Server({ name: "shop", version: "1.0.0" });
  server.use(await openapi(path, { server: "https://bookshop.example/v1" }));
  // #endregion start
  return server;
}

/** Rules for operations. */
async function chooseOperations(server: Server): Promise<void> {
  // #region offer
  const covers = await openapi(path, {
    server: "https://bookshop.example/v1",
    prefix: "covers_",
    offer: ({ method, tags, isDeprecated }) => {
      if (isDeprecated || !tags.includes("covers")) {
        return false;
      }
      return method === "GET" ? "resource" : { description: "Replaces the cover of a book." };
    },
  });
  server.use(covers);
  console.log(covers.operations.map(({ as, name }) => `${as} ${name}`).join(", "));
  // #endregion offer
}

/** Credentials of the server and of the caller. */
async function authorizeCalls(
  server: Server,
  tokens: { of(principal: string): Promise<string> },
): Promise<void> {
  // #region credentials
  const orders = await openapi(path, {
    server: "https://bookshop.example/v1",
    prefix: "own_",
    credentials: {
      key: process.env["SHOP_KEY"] ?? "a key",
      oauth: ({ context }) => {
        const { auth } = context;
        return auth === undefined ? undefined : tokens.of(auth.principal);
      },
    },
  });
  server.use(orders);
  // #endregion credentials
}

/** Reads a list page by page. */
async function readPages(session: ClientSession): Promise<void> {
  // #region pages
  const author = "Lem";
  for (let next: unknown = {}; typeof next === "object";) {
    const { structuredContent, _meta = {} } = await session.callTool({
      name: "listBooks",
      arguments: { author, ...next },
    });
    console.log(structuredContent);
    next = _meta[nextArgumentsKey];
  }
  // #endregion pages
}

test("the code of the page offers operations, and reads a list in pages", async () => {
  const links = ["</v1/books?author=Lem&page=2>; rel=next"];
  vi.stubGlobal("fetch", async (url: URL) => {
    const headers = { link: links.shift() ?? "" };
    return Response.json({ books: [{ title: url.search }] }, { headers });
  });
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const server = await serveShop();
  await chooseOperations(server);
  await authorizeCalls(server, { of: async (principal) => principal });
  const [near, far] = createInMemoryTransports();
  await server.connect(far);
  await using session = await new Client({ name: "c", version: "1.0.0" }).connect(near);
  await readPages(session);
  expect(log.mock.calls.map(([line]) => JSON.stringify(line))).toEqual([
    '"resource covers_getCover, tool covers_setCover"',
    '{"books":[{"title":"?author=Lem"}]}',
    '{"books":[{"title":"?author=Lem&page=2"}]}',
  ]);
  log.mockRestore();
  vi.unstubAllGlobals();
  await server.close();
});
