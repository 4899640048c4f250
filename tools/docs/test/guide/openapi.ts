import { Server, type ClientSession } from "@tenon/mcp";
import { nextArgumentsKey, openapi } from "@tenon/openapi";

/** A server with the operations of a document. */
export async function serveShop(): Promise<Server> {
  // #region start
  const server = new Server({ name: "shop", version: "1.0.0" });
  server.use(await openapi("bookshop.yaml", { server: "https://bookshop.example/v1" }));
  // #endregion start
  return server;
}

/** Rules for operations. */
export async function chooseOperations(server: Server): Promise<void> {
  // #region offer
  const covers = await openapi("bookshop.yaml", {
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
export async function authorizeCalls(
  server: Server,
  tokens: { of(principal: string): Promise<string> },
): Promise<void> {
  // #region credentials
  const orders = await openapi("bookshop.yaml", {
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
export async function readPages(session: ClientSession): Promise<void> {
  // #region pages
  let args: Record<string, unknown> | undefined = { author: "Lem" };
  while (args !== undefined) {
    const result = await session.callTool({ name: "listBooks", arguments: args });
    console.log(result.structuredContent);
    const next = result._meta?.[nextArgumentsKey];
    args = typeof next === "object" ? { ...args, ...next } : undefined;
  }
  // #endregion pages
}
