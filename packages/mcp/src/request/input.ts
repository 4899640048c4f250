import type { CallOptions } from "@tenon/jsonrpc2";
import type { ClientCapabilities, InputRequest } from "@tenon/protocol";

import type { RevisionRules } from "../revisions/rules.ts";
import type { InputExtensionOptions } from "./open.ts";

/** An input request of a server. */
export type InputMethod = InputRequest["method"];

/** Options of `elicit`, `sample` and `listRoots`. */
export interface InputOptions extends InputExtensionOptions {
  /**
   * Identifies the input within its request, 1 to 128 characters without `#`. In 2026-07-28 the
   * handler runs again from its start when the response has arrived, and finds the response by its
   * key. Set keys if parallel branches request input, or if the input requests change from run to
   * run. By default the key is derived from the order of the calls, which must then be the same in
   * every run.
   */
  readonly key?: string | undefined;
  /** Cancels the input request. In 2026-07-28 it has no effect after the input request was sent. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum time to wait for the response, in milliseconds. Applies to legacy clients only, because
   * handlers do not wait in 2026-07-28. By default there is no limit, because users need time.
   */
  readonly timeoutMs?: number | undefined;
}

/** Options of a request of a server. Everything of jsonrpc2's `CallOptions`, and of extensions. */
export interface InputCallOptions extends CallOptions, InputExtensionOptions {}

/** The client of an input request: its protocol version and its capabilities. */
export interface InputClient {
  readonly rules: RevisionRules;
  readonly client: { readonly capabilities: ClientCapabilities };
}

/** One input that a handler requests. @typeParam T - The validated response. */
export interface Input<T> {
  readonly method: InputMethod;
  /** As the request's revision knows them. */
  readonly params: object;
  /**
   * Validates the client's response.
   *
   * @throws `McpError` `INVALID_RESULT` that describes the problem.
   */
  readonly read: (answer: unknown) => T | Promise<T>;
}
