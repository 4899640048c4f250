import type { CallOptions, Connection, Scope } from "@tenon/jsonrpc2";
import type { safeParse } from "mcp-sdk-1/server/zod-compat.js";
import type { NotificationOptions, RequestOptions } from "mcp-sdk-1/shared/protocol.js";
import type { Transport } from "mcp-sdk-1/shared/transport.js";
import type { MessageExtraInfo } from "mcp-sdk-1/types.js";

declare module "@tenon/jsonrpc2" {
  interface MessageExtra {
    /** The data that a transport of the official package attached to a message. */
    readonly official?: MessageExtraInfo | undefined;
  }
}

/** A request or notification as programs pass it to `request` and `notification`. */
export interface Named {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A JSON-RPC request as the handlers of the official package take it. */
export interface RawRequest extends Named {
  readonly jsonrpc: "2.0";
  readonly id: number | string;
}

/** A zod schema of any version, which only the functions of the official package look into. */
export type Schema = Parameters<typeof safeParse>[0];

/** A handler of the official package's table. */
export type OfficialHandler = (request: RawRequest, extra: object) => unknown;

/**
 * The parts of the official `Protocol` that the engine uses. They are private in its declarations,
 * so the package is pinned to one version, and `test/entries.test.ts` checks that they exist.
 */
export interface Internals {
  _transport: Transport | undefined;
  readonly _options:
    | { readonly enforceStrictCapabilities?: boolean; readonly debouncedNotificationMethods?: string[] }
    | undefined;
  _requestMessageId: number;
  readonly _requestHandlers: Map<string, OfficialHandler>;
  readonly _requestHandlerAbortControllers: Map<unknown, AbortController>;
  readonly _notificationHandlers: Map<string, (notification: Named) => unknown>;
  readonly _progressHandlers: Map<number, (progress: object) => void>;
  readonly _responseHandlers: Map<number, unknown>;
  readonly _taskProgressTokens: Map<string, number>;
  readonly _pendingDebouncedNotifications: Set<string>;
  readonly _taskStore: object | undefined;
  readonly fallbackRequestHandler?: OfficialHandler;
  _onclose(): void;
  _onerror(error: Error): void;
  _onrequest(request: object, extra: MessageExtraInfo | undefined): void;
  _onnotification(notification: object): void;
  _onresponse(response: object): void;
  _onprogress(notification: object): void;
  requestTaskStore(request: object, sessionId: string | undefined): object;
  assertCapabilityForMethod(method: string): void;
  assertNotificationCapability(method: string): void;
  assertTaskHandlerCapability(method: string): void;
  request(request: Named, schema: Schema, options?: RequestOptions): Promise<unknown>;
  notification(notification: Named, options?: NotificationOptions): Promise<void>;
  readonly [hooks]?: Hooks;
}

/** The property that has what servers and clients add to the engine. */
export const hooks: unique symbol = Symbol.for("@tenon/official-v1/hooks");

/** The differences of servers and clients from other protocols. */
export interface Hooks {
  /**
   * Returns a function that opens a modern session on a new connection, if the server has a modern
   * revision; `undefined` if the transport is not suited to it.
   */
  negotiator?(protocol: Internals, transport: Transport): Negotiate | undefined;
  /** Handles a request that names its protocol version, as every modern request does. */
  serve?(protocol: Internals, scope: Scope): unknown;
  /** Sends a request in another way than on the connection; `undefined` if it does not. */
  request?(
    protocol: Internals,
    request: Named,
    schema: Schema,
    options: RequestOptions,
  ): Promise<unknown> | undefined;
  /** Sends a notification in another way than on the connection; `undefined` if it does not. */
  notify?(protocol: Internals, notification: Named): Promise<void> | undefined;
  /** Called when the connection has ended. */
  ended?(protocol: Internals): void;
}

/** Opens a modern session on a new connection. @param signal - Ends the negotiation. */
export type Negotiate = (connection: Connection, signal: AbortSignal) => Promise<Negotiated>;

/** The result of a negotiation. */
export interface Negotiated {
  /** The session that took the connection over. */
  readonly session?: ModernSession | undefined;
  /** The connection, if there is no modern session; `undefined` if the server has ended it. */
  readonly connection?: Connection | undefined;
}

/** The session of a client with a modern server. */
export interface ModernSession {
  /** Calls a method. The result is not validated. */
  call(method: string, params: object | undefined, options: CallOptions): Promise<unknown>;
  /** Sends a notification. */
  notify(method: string, params: object | undefined): Promise<void>;
  /** Resolves when the session has ended. */
  readonly closed: Promise<unknown>;
  /** Ends the session. */
  close(): Promise<void>;
}

const identity: unique symbol = Symbol.for("@tenon/official-v1/identity");

/**
 * Returns the object that identifies a protocol. Programs may call its methods on proxies, which
 * have its properties but are other objects.
 */
export function identityOf<T extends object>(protocol: T): T {
  const known = (protocol as { readonly [identity]?: T })[identity];
  if (known !== undefined) {
    return known;
  }
  Object.defineProperty(protocol, identity, { value: protocol });
  return protocol;
}

/**
 * Extends a class of the official package, once for each process. A process may load several copies
 * of this package, such as two versions. The class exists once, so only the first copy calls
 * `extend`, and all copies get its result.
 */
export function extendOnce<T>(prototype: object, name: string, extend: () => T): T {
  const key = Symbol.for(`@tenon/official-v1/${name}`);
  if (!Object.hasOwn(prototype, key)) {
    Object.defineProperty(prototype, key, { value: extend() });
  }
  return (prototype as Readonly<Record<symbol, T>>)[key] as T;
}

/** Replaces methods of a prototype of the official package. */
export function replace(prototype: object, members: object): void {
  for (const name of Reflect.ownKeys(members)) {
    Object.defineProperty(prototype, name, {
      ...Object.getOwnPropertyDescriptor(members, name),
      enumerable: false,
    });
  }
}
