import type { Clock, ResolvedLimits } from "@tenon/base";
import type { ClientCapabilities, Era, Implementation, LoggingLevel } from "@tenon/protocol";

import type { Tolerate } from "../../base/strictness.ts";
import type { ClientCaching } from "../../feature/cache/client.ts";
import type { Extensions } from "../../feature/extensions/registry.ts";
import type { ChangeHandlers } from "../../feature/subscriptions/client.ts";
import type { Declaration } from "../../request/capabilities.ts";
import type { ClientMethod } from "../../request/client/feature.ts";
import type { ClientLimits } from "../../request/client/limits.ts";
import type { InputCapabilities, RequestOptions } from "../../request/client/options.ts";
import type { ClientRequest, InnerClientRequest } from "../../request/client/request.ts";
import type { ClientSession } from "../../request/client/session.ts";
import type { MiddlewareStack } from "../../request/middleware.ts";
import type { SpokenRevisions } from "../../revisions/index.ts";
import type { KeepAlive } from "../keep-alive.ts";

/** The options of a request, with those that only extensions set. */
export interface SentOptions extends RequestOptions {
  /** The extension that the request does not declare. By default it declares all. */
  readonly undeclared?: string | undefined;
}

/** Sends a request in place of the client. @param send - Sends it as the client does. */
export type Hook = (
  session: ClientSession,
  params: object,
  options: RequestOptions,
  send: (params: object, options: SentOptions) => Promise<object>,
) => Promise<object>;

/** The parts that a client's sessions share. No state of a server is stored here. */
export interface ClientDefinition {
  readonly info: Implementation;
  readonly revisions: SpokenRevisions;
  /** Extensions add to it. */
  readonly methods: Map<string, ClientMethod>;
  /** By method: what extensions do in place of sending a request. */
  readonly hooks: Map<string, Hook>;
  /** The options of requests that extensions add, by name. */
  readonly requestOptions: Record<string, true>;
  /** Called with every new session. */
  readonly onOpen: ((session: ClientSession) => void)[];
  /** Called when a session is about to close, which waits for the promises. */
  readonly beforeClose: ((session: ClientSession) => Promise<unknown>)[];
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
  /** Replaces the capabilities for input that the handlers imply. */
  readonly inputs: ((era: Era) => InputCapabilities) | undefined;
}
