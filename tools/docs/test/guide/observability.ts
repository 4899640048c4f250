import type { Client, Server } from "@tenon/mcp";
import { instrument } from "@tenon/otel";
import { Manager, type ServerSpec } from "@tenon/sdk/host";

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
