import type { Methods, Notifications } from "@tenon/protocol";

import type { RequestParamsOf } from "./method-types.ts";
import type { Next, ReceivingMiddleware, SendingCall, SendingMiddleware } from "./middleware.ts";

/** The params of a request or notification of the protocol. */
export type ParamsOf<M extends keyof Methods | keyof Notifications> = NonNullable<
  M extends keyof Methods
    ? RequestParamsOf<M>
    : M extends keyof Notifications
      ? Notifications[M]["params"]
      : never
>;

/** The type of a result; `undefined` for a notification. */
export type AnswerOf<M extends keyof Methods | keyof Notifications> = M extends keyof Methods
  ? Methods[M]["answer"]
  : undefined;

/**
 * The type of `request` in {@link receivingMethod}. `params` have the protocol's types, but are not
 * validated yet.
 */
export type MethodRequest<R, M extends keyof Methods | keyof Notifications> = R & {
  readonly method: M;
  readonly params: ParamsOf<M>;
};

/** The type of `call` in {@link sendingMethod}. */
export type MethodCall<S, M extends keyof Methods | keyof Notifications> = SendingCall<S> & {
  readonly method: M;
  readonly params: ParamsOf<M>;
};

/**
 * Receiving middleware for one method, with its types. Other methods are not affected.
 *
 * @param handle - Returns the result, or throws. `next` handles the request, or a copy made by
 *   `request.with({ params })`.
 *
 * @example
 * server.addReceivingMiddleware(
 *   receivingMethod("tools/list", async (request, next) => {
 *     const result = await next(request);
 *     return { ...result, tools: result.tools.filter(({ name }) => name !== "hidden") };
 *   }),
 * );
 */
export function receivingMethod<
  M extends keyof Methods | keyof Notifications,
  R extends { readonly method: string },
>(
  method: M,
  handle: (
    request: MethodRequest<R, M>,
    next: (request: R) => Promise<AnswerOf<M>>,
  ) => AnswerOf<M> | Promise<AnswerOf<M>>,
): ReceivingMiddleware<R> {
  return (next: Next<R>) => {
    const awaited = async (request: R): Promise<AnswerOf<M>> => (await next(request)) as AnswerOf<M>;
    return (request) =>
      request.method === method ? handle(request as MethodRequest<R, M>, awaited) : next(request);
  };
}

/**
 * Sending middleware for one method, with its types. Other methods are not affected.
 *
 * @param handle - Returns the result, or throws. `next` sends the call, or a copy made by
 *   `{ ...call, params }`.
 */
export function sendingMethod<M extends keyof Methods | keyof Notifications, S>(
  method: M,
  handle: (
    call: MethodCall<S, M>,
    next: (call: SendingCall<S>) => Promise<AnswerOf<M>>,
  ) => Promise<AnswerOf<M>>,
): SendingMiddleware<S> {
  return (next) => (call) =>
    call.method === method
      ? handle(call as MethodCall<S, M>, next as (call: SendingCall<S>) => Promise<AnswerOf<M>>)
      : next(call);
}
