import type { Client, Server } from "@tenon/mcp";
import { instrument, instrumentHandler, instrumentStores } from "@tenon/otel";
import { Manager, type ServerSpec } from "@tenon/sdk/host";
import { createStreamableHandler, type SessionStores, type StreamableHandler } from "@tenon/sdk/http";

/** What a program does once. */
export function observe(server: Server, client: Client): void {
  // #region instrument
  instrument(server);
  instrument(client);
  // #endregion instrument
}

/** A host of many servers. */
export function observeHost(servers: Readonly<Record<string, ServerSpec>>): Manager {
  // #region host
  const manager = new Manager({
    servers,
    onClient: (client, name) => {
      instrument(client, { baggage: name === "billing" });
    },
  });
  // #endregion host
  return manager;
}

/** Spans with contents. */
export function observeContents(server: Server): void {
  // #region capture
  instrument(server, {
    capture: {
      arguments: (value, { target }) => (target === "login" ? undefined : value),
      results: (value) => value,
    },
  });
  // #endregion capture
}

/** Stores that several processes share. */
export function observeStores(server: Server, shared: SessionStores): StreamableHandler {
  // #region stores
  const stores = instrumentStores(shared); // such as the result of createRedisStores
  return instrumentHandler(createStreamableHandler({ getServer: () => server, stores }));
  // #endregion stores
}
