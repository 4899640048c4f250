import type { Clock } from "@tenon/jsonrpc2";
import type { ResolvedLimits } from "@tenon/jsonrpc2/transport";
import type { ClientCapabilities, Implementation, LoggingLevel } from "@tenon/protocol";

import type { Tolerate } from "../../base/strictness.ts";
import type { ClientCaching } from "../../feature/cache/client.ts";
import type { Extensions } from "../../feature/extensions/registry.ts";
import type { ChangeHandlers } from "../../feature/subscriptions/client.ts";
import type { Declaration } from "../../request/capabilities.ts";
import type { ClientMethod } from "../../request/client/feature.ts";
import type { ClientLimits } from "../../request/client/limits.ts";
import type { ClientRequest, InnerClientRequest } from "../../request/client/request.ts";
import type { ClientSession } from "../../request/client/session.ts";
import type { MiddlewareStack } from "../../request/middleware.ts";
import type { SpokenRevisions } from "../../revisions/index.ts";
import type { KeepAlive } from "../keep-alive.ts";

/** The parts that a client's sessions share. No state of a server is stored here. */
export interface ClientDefinition {
  readonly info: Implementation;
  readonly revisions: SpokenRevisions;
  readonly methods: ReadonlyMap<string, ClientMethod>;
  readonly middleware: MiddlewareStack<ClientRequest, InnerClientRequest, ClientSession>;
  readonly limits: ResolvedLimits<ClientLimits>;
  readonly extensions: Extensions<InnerClientRequest>;
  readonly keepAlive: KeepAlive | undefined;
  readonly onError: (error: unknown) => void;
  readonly tolerate: Tolerate;
  readonly clock: Clock;
  /** If `undefined`, nothing is cached. */
  readonly caching: ClientCaching | undefined;
  readonly changeHandlers: ChangeHandlers;
  /** The level of logs to ask legacy servers for; `undefined`: they decide. */
  readonly logLevel: LoggingLevel | undefined;
  /** The log level that modern requests declare. If `undefined`, they request no logs. */
  readonly modernLogLevel: LoggingLevel | undefined;
  readonly declaration: Declaration<ClientCapabilities>;
}
