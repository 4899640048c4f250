import type { CallOptions } from "@tenon/jsonrpc2";
import type {
  ClientCapabilities,
  InputRequiredResult,
  InputResponses,
  ProgressNotificationParams,
} from "@tenon/protocol";

import type { RequestExtensionOptions } from "../open.ts";

/** Provides the responses to input requests. */
export type InputRequiredHandler = (
  result: InputRequiredResult,
  round: { readonly number: number; readonly signal: AbortSignal },
) => InputResponses | Promise<InputResponses>;

/**
 * The capabilities by which a client declares what it responds to. Extensions are declared in
 * addition to those of the client; an extension that is `undefined` is not declared.
 */
export type InputCapabilities = Pick<ClientCapabilities, "elicitation" | "sampling" | "roots"> & {
  readonly extensions?: { readonly [id: string]: object | undefined } | undefined;
};

/** Options of one request. Everything of jsonrpc2's `CallOptions`, and progress. */
export interface RequestOptions
  extends Pick<CallOptions, "signal" | "timeoutMs" | "totalTimeoutMs" | "onId">, RequestExtensionOptions {
  /** Sends the request even if a fresh result is cached. Default: `false`. */
  readonly fresh?: boolean | undefined;
  /**
   * Called with each progress notification of this request, before the request settles. Values that
   * do not increase are dropped, over all round trips of the request. Every notification restarts
   * `timeoutMs`. Calls of tools, and other requests that may take long, let the server report
   * progress without this option too, as long as `timeoutMs` is finite.
   */
  readonly onProgress?: ((progress: ProgressNotificationParams) => void) | undefined;
  /**
   * Whether this client's handlers respond to input requests. In 2026-07-28, `false` returns the
   * `InputRequiredResult` instead. To continue, send the same request with its `requestState` and
   * your `inputResponses`. `timeoutMs` and `totalTimeoutMs` apply to each round, and
   * `totalTimeoutMs` also to all further rounds together: if a handler never settles, the request
   * rejects with `TIMEOUT`. In 2025-11-25, `false` returns the error for required web pages to the
   * caller, even if `limits.pageWaitMs` is set. Default: `true`.
   */
  readonly autoFulfil?: boolean | undefined;
  /**
   * In 2026-07-28, declares these capabilities for this request alone. The
   * result is not cached. Earlier versions declare the capabilities once, in the handshake: see
   * `capabilities` of the client. Default: the capabilities of the client.
   */
  readonly capabilities?: InputCapabilities | undefined;
  /** Modern era: gives the input in place of this client's handlers, round by round. */
  readonly onInputRequired?: InputRequiredHandler | undefined;
}

/** Options of an iteration over a list. */
export interface ListOptions extends RequestOptions {
  /** The start of the list: the `nextCursor` of a page. By default the first page. @source S-074 */
  readonly cursor?: string | undefined;
  /**
   * Maximum number of pages that are requested. A longer list fails with jsonrpc2's
   * `LIMIT_EXCEEDED` after the last of them. At least 1. Default: `1000`.
   */
  readonly maxPages?: number | undefined;
}
