import type { LaneCaller, ListItems, ListKind } from "@tenon/host";
import type { Server, ServerChange, ServerRequest, ServerSession } from "@tenon/mcp/server";
import type { ServerCapabilities } from "@tenon/protocol";

import type { SourceFeature } from "./source-feature.ts";

/** Which clients a change concerns. By default all of them. */
export type Audience = LaneCaller | undefined;

/** ReceivedParams of a request, as they were received. */
export type ReceivedParams = Readonly<Record<string, unknown>>;

/**
 * One server behind a composition. Names and URIs are the names and URIs of the server itself: the
 * composition renames them.
 */
export interface ProxySource extends AsyncDisposable {
  /** The name and the version of the server, if they are known. */
  readonly info: { readonly name: string; readonly version: string; readonly title?: string | undefined };
  /** Advice for the model on using the server. */
  readonly instructions: string | undefined;
  /** The capabilities of the server; empty while it is not connected. */
  readonly capabilities: ServerCapabilities;
  /**
   * A list as the sender of a request sees it. The same array as before if nothing has changed, so
   * that it is converted once.
   */
  list<K extends ListKind>(kind: K, request: ServerRequest): Promise<readonly ListItems[K][]>;
  /**
   * The list that {@link list} would return, for all clients of the request's protocol version, if
   * nothing has to be read for it. Absent, or `undefined`, if the list has to be read.
   */
  readonly current?:
    | (<K extends ListKind>(kind: K, request: ServerRequest) => readonly ListItems[K][] | undefined)
    | undefined;
  /**
   * Handles `tools/call`, `prompts/get` and `resources/read`.
   *
   * @param params - With the name or URI of the source. Default: the params of the request.
   * @param method - Default: the method of the request.
   * @returns The result or a promise of it, or what `inputRequired` returned.
   */
  forward(request: ServerRequest, params?: ReceivedParams, method?: string): unknown;
  /** Handles `completion/complete`. */
  complete(request: ServerRequest, params?: ReceivedParams): Promise<object>;
  /** Yields the updates of a resource. Absent if the source does not support subscriptions. */
  readonly watch?:
    | ((uri: string, caller: LaneCaller, signal: AbortSignal) => AsyncIterable<{ readonly uri: string }>)
    | undefined;
  /**
   * Notifies the server that a legacy client has subscribed to a resource, or does not watch it any
   * more. Absent if {@link watch} does that.
   *
   * @throws If the server does not allow it.
   */
  readonly subscribed?:
    | ((uri: string, session: ServerSession, isWatched: boolean) => Promise<void>)
    | undefined;
  /** The clients that see the same as a caller; `undefined` if all of them do. */
  audienceOf(caller: LaneCaller): Audience;
  /** Keeps the connections of a caller open, so that it is notified. @returns Ends that. */
  keep(caller: LaneCaller, signal: AbortSignal): Promise<() => void>;
  /** Notifies the server that the roots of a client have changed. */
  rootsChanged(session: ServerSession): void;
  /** The tasks that calls of the server become. Absent if there are none. */
  readonly tasks?: SourceFeature | undefined;
  /** The skills of the server. Absent if there are none. */
  readonly skills?: SourceFeature | undefined;
  /** Declares the extensions of the server on the composition. */
  readonly adopt?: ((outer: Server) => void) | undefined;
  /** Notifies the server that a client wants log messages of another level. */
  readonly logLevelChanged?: ((session: ServerSession, level: unknown) => void) | undefined;
  /** Sets the function that gets the changes of lists. Absent if the source reports none. */
  readonly onListChange?: ((listener: ListListener) => void) | undefined;
  /** Sets the function that is called when the server cannot be reached any more. */
  readonly onDown?: ((listener: () => void) => void) | undefined;
}

/** Gets the changes of lists, and the clients that they concern. */
export type ListListener = (change: ServerChange, audience: Audience) => void;
