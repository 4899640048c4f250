import type { CallRelay, LaneLimits, LanesOptions, Manager } from "@tenon/host";
import type { Transport } from "@tenon/jsonrpc2";
import type { ClientSession } from "@tenon/mcp/client";
import type { Server, ServerExtension } from "@tenon/mcp/server";

import type { ProxySource } from "./source.ts";

/** Something that makes a server when it is first needed. */
export interface ServerSource {
  /** Makes the server. Called once; again if it failed. */
  createServer(): Server | Promise<Server>;
}

/** A server that is connected to in a way of its own. */
export interface ConnectorSource extends Pick<LanesOptions, "related" | "isolation" | "limits"> {
  /** Opens a connection: see `connect` of `LanesOptions` in `@tenon/host`. */
  readonly open: LanesOptions["connect"];
}

/**
 * The kinds of sources.
 *
 * - A `Server` of this process is mounted: no serialization, and no session of its own.
 * - A `Manager` adds all its servers, with its policy.
 * - A `ClientSession` is shared by all callers, and not closed.
 * - A `Transport`, or a function that returns one for each connection, is connected when it is
 *   first needed. Callers of a legacy server have connections of their own.
 * - An extension becomes a server of its own, such as the document of an API that `openapi` of
 *   `@tenon/openapi` has read, or the promise of one.
 * - A {@link ServerSource} is mounted when it is first needed; a {@link ConnectorSource} connects
 *   itself; a {@link ProxySource} does all itself.
 */
export type ComposedSource =
  | Manager
  | ClientSession
  | Server
  | ServerExtension
  | Promise<Server | ServerExtension>
  | Transport
  | (() => Transport | Promise<Transport>)
  | ServerSource
  | ConnectorSource
  | ProxySource;

/** The dependencies of everything that a composition makes of its sources. */
export interface SourceSetup {
  readonly relay: CallRelay;
  readonly limits: LaneLimits;
  readonly onError: (error: unknown) => void;
}
