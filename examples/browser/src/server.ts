import { createStreamableHandler, type StreamableHandler } from "@tenon/sdk/http";
import { Server } from "@tenon/sdk/server";
import { z } from "zod";

const prices = new Map([
  ["tenon", 12],
  ["mortise", 9],
]);

/** An endpoint that pages of the given origins can use with the token `secret`. */
export function createPriceHandler(allowedOrigins: readonly string[]): StreamableHandler {
  const server = new Server({ name: "prices", version: "1.0.0" });
  server.addTool(
    {
      name: "price",
      input: z.object({ item: z.string() }),
      output: z.object({ item: z.string(), euros: z.number().nullable() }),
      annotations: { readOnlyHint: true },
    },
    ({ item }) => ({ item, euros: prices.get(item) ?? null }),
  );
  return createStreamableHandler({
    getServer: () => server,
    allowedOrigins,
    authenticate: ({ headers }) =>
      headers.get("authorization") === "Bearer secret" ? { principal: "page" } : undefined,
  });
}
