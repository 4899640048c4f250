import type { Clock, ResolvedLimits } from "@tenon/base";
import type { PeerOptions } from "@tenon/jsonrpc2";
import type { Implementation, ServerCapabilities } from "@tenon/protocol";

import type { Tolerate } from "../../base/strictness.ts";
import type { FullCacheHints } from "../../feature/cache/server.ts";
import type { Extensions } from "../../feature/extensions/registry.ts";
import type { LoggingFeature } from "../../feature/logging/server.ts";
import type { Declaration } from "../../request/capabilities.ts";
import type { MiddlewareStack } from "../../request/middleware.ts";
import type { CallHook } from "../../request/server/extension.ts";
import type { ServerMethod } from "../../request/server/feature.ts";
import type { InteractionService } from "../../request/server/interaction.ts";
import type { ServerLimits } from "../../request/server/limits.ts";
import type { InnerServerRequest, ServerRequest } from "../../request/server/request.ts";
import type { ServerSession } from "../../request/server/session.ts";
import type { SpokenRevisions } from "../../revisions/index.ts";
import type { KeepAlive } from "../keep-alive.ts";

/** The time limits of single tools, in milliseconds. */
export interface ToolTimeouts {
  /** Whether a tool may have one. */
  readonly isTimed: boolean;
  timeoutOf(name: unknown): number | undefined;
}

/** The parts that a server's sessions share. No state of a client is stored here. */
export interface ServerDefinition {
  /** The `Server`, as subscribers of diagnostics channels recognize it. */
  readonly owner: object;
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly revisions: SpokenRevisions;
  /** Extensions add to it. */
  readonly methods: Map<string, ServerMethod>;
  /** Sends the requests of a method to clients. Extensions add to it. */
  readonly hooks: Map<string, CallHook>;
  readonly middleware: MiddlewareStack<ServerRequest, InnerServerRequest, ServerSession | undefined>;
  readonly interactions: InteractionService;
  /** The caching hints of each method whose results carry them. */
  readonly hints: ReadonlyMap<string, FullCacheHints>;
  readonly extensions: Extensions<InnerServerRequest>;
  readonly logging: LoggingFeature;
  readonly limits: ResolvedLimits<ServerLimits>;
  /** The time limits of single tools. */
  readonly tools: ToolTimeouts;
  readonly clock: Clock;
  readonly keepAlive: KeepAlive | undefined;
  readonly onError: (error: unknown) => void;
  /** Reports the responses that were not sent. */
  readonly onUnsent: PeerOptions["onUnsent"];
  readonly tolerate: Tolerate;
  /** The URI with which a resource was added, by its canonical form. */
  readonly addedUri: (canonical: string) => string | undefined;
  readonly declaration: Declaration<ServerCapabilities>;
}
