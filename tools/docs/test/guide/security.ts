import { receivingMethod, RpcError, Server, type ServerRequest } from "@tenon/sdk/server";

/** A server that keeps its users apart. */
export function createVault(stateSecret: Uint8Array, onError: (error: unknown) => void): Server {
  // #region server
  const server = new Server(
    { name: "vault", version: "1.0.0" },
    {
      // Identify the user by credentials that the transport has verified, never by claims of the
      // client.
      interaction: {
        principal: ({ auth }: ServerRequest) => auth?.principal,
        stateKeys: [{ id: "2026-08", secret: stateSecret }],
      },
      limits: { maxInFlight: 32, progressIntervalMs: 100 },
      onError, // gets exceptions; the client gets a generic message
    },
  );

  server.addReceivingMiddleware(
    receivingMethod("tools/call", (request, next) => {
      if (request.auth?.scopes?.includes("tools") !== true) {
        throw new RpcError(1403, "Not for you");
      }
      return next(request);
    }),
  );
  // #endregion server
  server.addTool({ name: "open" }, (_, { auth }) => `opened for ${auth?.principal ?? "nobody"}`);
  server.addTool({ name: "break" }, () => {
    throw new Error("at /srv/vault.ts: secret");
  });
  return server;
}
