import type { Clock } from "@tenon/base";
import type { Era, LoggingLevel, Revision, Root } from "@tenon/protocol";

import type { Strictness } from "../../base/strictness.ts";
import type { CacheOptions } from "../../feature/cache/client/cache.ts";
import type { ElicitationHandlers } from "../../feature/elicitation/client.ts";
import type { ExtensionSettings } from "../../feature/extensions/registry.ts";
import type { LogHandler } from "../../feature/logging/client.ts";
import type { RootsSource } from "../../feature/roots/client.ts";
import type { SamplingOptions } from "../../feature/sampling/client.ts";
import type { ChangeHandlers } from "../../feature/subscriptions/client.ts";
import type { ClientLimits } from "../../request/client/limits.ts";
import type { InputCapabilities } from "../../request/client/options.ts";
import type { KeepAliveOptions } from "../../session/keep-alive.ts";

/** Options of `new Client`. */
export interface ClientOptions extends ChangeHandlers {
  /**
   * Called with the log messages of servers.
   *
   * @deprecated Logging is deprecated since 2026-07-28 (SEP-2577). Earliest removal: the first
   *   revision released on or after 2027-07-28.
   */
  readonly onLog?: LogHandler | undefined;
  /**
   * The least severe level of logs to ask servers for. Default: with `onLog` and a server of the
   * modern era `info`, because it sends none unasked; a legacy server is then left to decide.
   *
   * @deprecated Logging is deprecated since 2026-07-28 (SEP-2577). Earliest removal: the first
   *   revision released on or after 2027-07-28.
   */
  readonly logLevel?: LoggingLevel | undefined;
  /**
   * Options of the cache for results (2026-07-28). `false` disables the cache. Default: see
   * {@link CacheOptions}.
   */
  readonly cache?: CacheOptions | false | undefined;
  /**
   * The account that the client acts for, such as its id. Private results are cached per account. A
   * function is called for every cacheable request and must return a string synchronously: any
   * other value, including a promise, rejects the request with `INVALID_DEFINITION`. Default: the
   * account and the grant of the transport's `auth`, if it knows them, as the providers of
   * `@tenon/auth/client` do; otherwise `""`, one account.
   */
  readonly authorizationContext?: string | (() => string) | undefined;
  /**
   * The revisions to speak. Default: every published one; the newest that both sides speak is used.
   */
  readonly revisions?: readonly Revision[] | undefined;
  /**
   * The folders that servers may know of, or a function that returns them for a request. Default:
   * the client does not speak of roots. Deprecated in 2026-07-28 (SEP-2577).
   */
  readonly roots?: readonly Root[] | RootsSource | undefined;
  /**
   * Handlers for sampling requests of servers. By default sampling is not declared. Deprecated in
   * 2026-07-28 (SEP-2577).
   */
  readonly sampling?: SamplingOptions | undefined;
  /**
   * Handlers for elicitation requests of servers. `"cancel"` declares both modes and always returns
   * `cancel`. By default elicitation is not declared.
   */
  readonly elicitation?: "cancel" | ElicitationHandlers | undefined;
  /**
   * Declares these `elicitation`, `sampling` and `roots`, for example the capabilities of another
   * client, for which this one connects. A function gets the era that is being negotiated: `legacy`
   * declares them once, `modern` with each request that does not set `capabilities` itself. The
   * handlers are still required. By default the handlers determine what is declared.
   */
  readonly capabilities?: InputCapabilities | ((era: Era) => InputCapabilities) | undefined;
  /**
   * Extensions to declare, with their settings. None is on by default; adding a method or
   * notification of one declares it too.
   *
   * @source
   */
  readonly extensions?: ExtensionSettings | undefined;
  /** Numbers and times that this client does not exceed. Each limit has its own default. */
  readonly limits?: ClientLimits | undefined;
  /**
   * Sends `ping` (or `server/discover` in 2026-07-28) at an interval and closes the session if the
   * server does not respond. Off by default.
   */
  readonly keepAlive?: KeepAliveOptions | undefined;
  /**
   * The handling of servers that deviate from the protocol: see {@link Strictness}. Tolerated
   * deviations are reported to `onError` as warnings (`McpError` `TOLERATED`). Default: `normal`.
   */
  readonly strictness?: Strictness | undefined;
  /**
   * Called with warnings, and with errors that are not returned to a caller. Default:
   * `console.error`; `() => {}` silences it.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** The name of every option in {@link ClientOptions}. */
export const clientOptionNames = [
  "onLog logLevel cache authorizationContext revisions roots sampling elicitation",
  "capabilities extensions:object limits keepAlive strictness onError clock onToolsChanged",
  "onPromptsChanged onResourcesChanged onResourceUpdated",
] as const;
