import type { Clock } from "@tenon/base";

import type { RequestOptions } from "./options.ts";
import type { ClientRequest } from "./request.ts";
import type { ClientSession } from "./session.ts";

/** Options of {@link HookedRequest.send}. */
export interface SendOptions extends RequestOptions {
  /** Whether the request declares the extension (2026-07-28). Default: `true`. */
  readonly declared?: boolean | undefined;
}

/** A request that a hook of an extension sends. */
export interface HookedRequest {
  readonly session: ClientSession;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly options: RequestOptions;
  /** Sends the request, provides the input that the server requests, and returns the result. */
  send(params: object, options: SendOptions): Promise<Readonly<Record<string, unknown>>>;
}

/** Sends a request, and returns the result for its caller. */
export type RequestHook = (request: HookedRequest) => Promise<object>;

/** The interface of a client for its extensions. */
export interface ClientExtensionHost<S = Readonly<Record<string, unknown>>> {
  readonly clock: Clock;
  /** The error sink of the client. */
  readonly onError: (error: unknown) => void;
  /**
   * The settings with which the server of a session declares the extension; `undefined` if the
   * server does not declare it, or its settings are invalid.
   */
  settingsOf(session: ClientSession): S | undefined;
  /**
   * Handles a method or notification of the protocol that the client itself does not handle, in the
   * revisions that have it.
   *
   * @param handler - Gets the params as received, not validated.
   * @throws `McpError` `INVALID_DEFINITION` for a method that no revision has, or that is handled.
   */
  handle(
    method: string,
    handler: (params: Readonly<Record<string, unknown>>, request: ClientRequest) => unknown,
  ): void;
  /**
   * Declares a capability of the protocol that the client itself does not declare, in the revisions
   * that have it.
   *
   * @param value - Called for each declaration, with a function that returns the value of another
   *   capability; `undefined` declares nothing.
   */
  addCapability(name: string, value: (other: (name: string) => unknown) => object | undefined): void;
  /**
   * Sends the requests of a method in place of the client.
   *
   * @param resultTypes - The result types, besides `complete`, that the hook takes from servers
   *   that declare the extension.
   * @throws `McpError` `INVALID_DEFINITION` if the method has a hook.
   */
  addRequestHook(method: string, hook: RequestHook, resultTypes?: readonly string[]): void;
  /**
   * Adds options of requests. Without it, requests refuse them as unknown. Declare their types in
   * `RequestExtensionOptions`.
   */
  addRequestOptions(...names: readonly string[]): void;
  /**
   * Adds a property to the sessions that are opened from now on.
   *
   * @param create - Called when the property of a session is first read.
   * @throws `McpError` `INVALID_DEFINITION` for a name that sessions have.
   */
  addSessionProperty(name: string, create: (session: ClientSession) => unknown): void;
  /**
   * Adds work that `close` of a session waits for before it closes the connection: at most for
   * `drainMs`, and not longer than 5 seconds. Rejections are reported to `onError`.
   *
   * @param work - Called when `close` is called. A session that ends otherwise does not call it.
   */
  beforeClose(work: (session: ClientSession) => Promise<unknown>): void;
}
