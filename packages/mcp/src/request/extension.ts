import type { InputOf, OutputOf } from "@tenon/jsonschema/core";
import type { Era } from "@tenon/protocol";

/** The common properties of all messages of an extension. */
interface MessageDefinition<P> {
  /**
   * A name that no method of the protocol has in these `eras`, best with a prefix:
   * `com.example/count`.
   */
  readonly method: string;
  /** The eras in which the message exists. Default: both. */
  readonly eras?: readonly Era[] | undefined;
  /**
   * The extension it belongs to, as in `capabilities.extensions`: a prefix and a name,
   * `com.example/counter`. It is used only with a peer that has declared the extension too. Without
   * it, the message may be sent to every peer.
   *
   * @source
   */
  readonly extension?: string | undefined;
  /**
   * The schema of the params, in any form that a tool's `input` accepts. It describes an object
   * without `_meta`. By default params are not validated.
   */
  readonly params?: P | undefined;
}

/** A request that the protocol does not have. */
export interface MethodDefinition<P = unknown, R = unknown> extends MessageDefinition<P> {
  readonly kind: "request";
  /** The schema of the result, an object. By default results are not validated. */
  readonly result?: R | undefined;
  /**
   * The name of the param that the `Mcp-Name` header repeats over Streamable HTTP, a string
   * (2026-07-28). Default: no such header.
   *
   * @source R-313
   */
  readonly header?: string | undefined;
  /**
   * Whether results carry `ttlMs` and `cacheScope` in 2026-07-28: the server adds them, and clients
   * cache results accordingly. Default: `false`.
   */
  readonly cacheable?: boolean | undefined;
  /**
   * The property of a result that contains the items, for a method whose results are pages with
   * `nextCursor`: `ClientSession.pages` iterates over them. Default: no pages.
   */
  readonly paged?: string | undefined;
}

/** A notification that the protocol does not have. */
export interface NotificationDefinition<P = unknown> extends MessageDefinition<P> {
  readonly kind: "notification";
}

/** The type of params or a result on the side that gets them. */
export type Received<S> = [unknown] extends [S] ? Readonly<Record<string, unknown>> : OutputOf<S>;

/** The type of the items in the lists of a result. */
export type ItemOf<R> = {
  [K in keyof R]-?: NonNullable<R[K]> extends readonly (infer T)[]
    ? T
    : unknown extends R[K]
      ? object
      : never;
}[keyof R];

/** The type of params or a result on the side that sends them. */
export type Sent<S> = [unknown] extends [S] ? object : InputOf<S>;

/**
 * Describes a request of an extension. Client and server import the description: the receiver
 * handles it with `addMethod`, the sender sends it with `request`.
 *
 * @example
 * const count = defineMethod({ method: "com.example/count", extension: "com.example/counter",
 * params: CountParams, result: Counted }); server.addMethod(count, ({ word }, context) => ({ times:
 * 3 })); const { times } = await session.request(count, { word: "tenon" });
 */
export function defineMethod<const P = unknown, const R = unknown>(
  definition: Omit<MethodDefinition<P, R>, "kind">,
): MethodDefinition<P, R> {
  return { ...definition, kind: "request" };
}

/**
 * Describes a notification of an extension: one side takes it with `addNotification`, the other
 * sends it with `notify`.
 */
export function defineNotification<const P = unknown>(
  definition: Omit<NotificationDefinition<P>, "kind">,
): NotificationDefinition<P> {
  return { ...definition, kind: "notification" };
}
