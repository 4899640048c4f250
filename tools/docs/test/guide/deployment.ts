import { Server } from "@tenon/sdk";
import { createStreamableHandler, type SessionStores, type StreamableHandler } from "@tenon/sdk/http";
import { shareChanges, shareStateKeys, type AuthStore } from "@tenon/stores";

/** One of the processes of a server. */
export interface Process {
  readonly server: Server;
  readonly handler: StreamableHandler;
  /** Ends the process as a deploy does. */
  stop(): Promise<void>;
}

/** Starts a process that shares its sessions with others. */
export function startProcess(stores: SessionStores & { readonly auth: AuthStore }): Process {
  // #region start
  const changes = shareChanges(stores.bus, (change) => server.announce(change));
  const server = new Server(
    { name: "shop", version: "1.0.0" },
    { onChange: changes.publish, interaction: { stateKeys: shareStateKeys(stores.auth) } },
  );
  const handler = createStreamableHandler({ getServer: () => server, stores });
  // #endregion start

  async function stop(): Promise<void> {
    await handler.close({ drainMs: 20_000 });
    await server.close();
    await changes.close();
  }

  return { server, handler, stop };
}
