import type { Server } from "@tenon/sdk";
import { createStreamableHandler, type SessionStores, type StreamableHandler } from "@tenon/sdk/http";

// #region stores
/** Serves the sessions of all processes that use the same stores. */
export function serveAll(server: Server, stores: SessionStores): StreamableHandler {
  return createStreamableHandler({ getServer: () => server, stores });
}
// #endregion stores
