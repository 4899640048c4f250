import type { Clock } from "@tenon/base";
import type { Revision } from "@tenon/protocol";

import type { Strictness } from "../../base/strictness.ts";
import type { ServerCacheHints } from "../../feature/cache/define.ts";
import type { CompletionHandler } from "../../feature/completion/server.ts";
import type { ExtensionSettings } from "../../feature/extensions/registry.ts";
import type { InteractionOptions } from "../../feature/interaction/server/options.ts";
import type { LoggingOptions } from "../../feature/logging/server.ts";
import type { SubscriptionHook } from "../../feature/subscriptions/server.ts";
import type { ServerChange } from "../../feature/subscriptions/server/server-change.ts";
import type { DeclaredCapabilities } from "../../request/capabilities.ts";
import type { ServerLimits } from "../../request/server/limits.ts";
import type { ServerSession } from "../../request/server/session.ts";
import type { KeepAliveOptions } from "../../session/keep-alive.ts";

/** Options of `new Server`. */
export interface ServerOptions {
  /** Advice for the model on using this server. */
  readonly instructions?: string | undefined;
  /** The revisions to speak. Default: every published one. */
  readonly revisions?: readonly Revision[] | undefined;
  /**
   * Overrides the declared capabilities. `true` declares a capability before its first item is
   * added, `false` hides it. By default the server declares `tools` and every feature that has
   * items when a client connects.
   */
  readonly capabilities?: DeclaredCapabilities | undefined;
  /**
   * Extensions to declare, with their settings. None is on by default; adding a method or
   * notification of one declares it too.
   *
   * @source
   */
  readonly extensions?: ExtensionSettings | undefined;
  /** Caching hints for results without their own hints (2026-07-28). Default: 0 ms, `private`. */
  readonly cache?: ServerCacheHints | undefined;
  /**
   * Called when a legacy client subscribes to a resource. Throw to reject the subscription.
   * Requires `onUnsubscribe`.
   */
  readonly onSubscribe?: SubscriptionHook | undefined;
  /**
   * Called when a legacy client unsubscribes from a resource. Not called when a session ends: see
   * `ServerSession.closed`.
   */
  readonly onUnsubscribe?: SubscriptionHook | undefined;
  /**
   * Called when a server feature changes. Forward the change to the other instances and pass it to
   * {@link Server.announce} there. Errors are reported to `onError`. By default only this server's
   * own clients are notified.
   *
   * @source R-541
   */
  readonly onChange?: ((change: ServerChange) => unknown) | undefined;
  /** Suggests values for arguments whose definitions do not. */
  readonly onComplete?: CompletionHandler | undefined;
  /**
   * Enables log messages to clients; `true` uses the default options. By default logging is
   * disabled.
   *
   * @deprecated Logging is deprecated since 2026-07-28 (SEP-2577): use stderr or OpenTelemetry.
   *   Earliest removal: the first revision released on or after 2027-07-28.
   */
  readonly logging?: boolean | LoggingOptions | undefined;
  /**
   * Called when the roots of a legacy client have changed. `session.roots()` then requests them
   * again. Deprecated in 2026-07-28 (SEP-2577).
   *
   * @source S-116
   */
  readonly onRootsListChanged?: ((session: ServerSession) => void) | undefined;
  /** Numbers and times that this server does not exceed. Each limit has its own default. */
  readonly limits?: ServerLimits | undefined;
  /** Options for suspending and resuming handlers that request input from modern clients. */
  readonly interaction?: InteractionOptions | undefined;
  /**
   * Sends `ping` to legacy clients at an interval and closes the session if they do not respond.
   * Has no effect in 2026-07-28, where servers send no requests. Off by default.
   */
  readonly keepAlive?: KeepAliveOptions | undefined;
  /**
   * The handling of clients that deviate from the protocol: see {@link Strictness}. Tolerated
   * deviations are reported to `onError` as warnings (`McpError` `TOLERATED`). Default: `normal`.
   */
  readonly strictness?: Strictness | undefined;
  /**
   * Called with warnings, and with the exceptions behind generic error responses. Default:
   * `console.error`; `() => {}` silences it.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** The name of every option in {@link ServerOptions}. */
export const serverOptionNames = [
  "instructions revisions capabilities extensions:object cache onSubscribe onUnsubscribe",
  "onChange onComplete logging onRootsListChanged limits interaction keepAlive strictness",
  "onError clock",
] as const;
