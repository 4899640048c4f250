import type { CallOptions } from "@tenon/jsonrpc2";
import type { Methods } from "@tenon/protocol";

import type { RequestOptions } from "./client/options.ts";
import type { MethodDefinition, NotificationDefinition, Received, Sent } from "./extension.ts";
import type { InputCallOptions } from "./input.ts";

/** A request of the protocol. */
export type Method = keyof Methods;

/** The type of the params of a request. */
export type RequestParamsOf<M extends Method> = Methods[M]["params"];

/** The type of the final result of a request. */
export type ResultOf<M extends Method> = Methods[M]["result"];

/**
 * Options of a request whose input the caller provides: its result may be an `InputRequiredResult`.
 */
export type ByHand = RequestOptions & { readonly autoFulfil: false };

/** Notifies by method, or by the definition of an extension. */
export interface NotifyOfRequest {
  (method: string, params: object): Promise<void>;
  <P>(notification: NotificationDefinition<P>, params: Sent<P>): Promise<void>;
}

/** Sends a request, by method or by the definition of an extension. */
export interface CallOfRequest {
  (method: string, params: object, options?: InputCallOptions): Promise<unknown>;
  <P, R>(method: MethodDefinition<P, R>, params: Sent<P>, options?: CallOptions): Promise<Received<R>>;
}
