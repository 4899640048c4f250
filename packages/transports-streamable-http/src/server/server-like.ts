import type { Caller, Handling, Notification, Request, Transport } from "@tenon/jsonrpc2";
import type { AuthInfo, HttpRequestInfo, RequestFacts } from "@tenon/protocol";

/** The required part of a server. `Server` of `@tenon/mcp` has it. */
export interface ServerLike {
  /** Starts a session. Called once per legacy session. */
  connect(transport: Transport): Promise<SessionLike>;
  /**
   * Handles a message that belongs to no session. An object that wraps a server must wrap this
   * method as well as `connect`.
   *
   * @param facts - What its envelope and its headers say.
   */
  handle(message: Request | Notification, caller: Caller, facts: RequestFacts): Handling;
  /**
   * The input schema of a tool, `undefined` if there is none: `Mcp-Param-*` headers are checked by
   * it. Without this method they are not checked.
   */
  toolInputSchema?(name: string): object | undefined;
  /**
   * The param that the `Mcp-Name` header repeats, for a method of an extension; `undefined` if
   * there is none. Without this method the header of such requests is not checked.
   */
  headerParam?(method: string): string | undefined;
}

/** The required part of a session. */
export interface SessionLike {
  /**
   * Ends the session.
   *
   * @param options - `drainMs`: time that running handlers get to finish, in milliseconds.
   */
  close(options?: { drainMs?: number | undefined; reason?: unknown }): Promise<void>;
}

/** The facts by which `getServer` chooses a server. */
export interface ServedRequest extends HttpRequestInfo {
  readonly auth: AuthInfo | undefined;
}

/**
 * Chooses the server for a request: for a legacy session once, for modern and sessionless requests
 * each time. It may be one for all, which is fastest, or one per user. `undefined` refuses with
 * 404.
 *
 * @source S-021, S-022
 */
export type GetServer = (request: ServedRequest) => ServerLike | undefined | Promise<ServerLike | undefined>;
