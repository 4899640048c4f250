import { isRecord, reportError, unlessAborted, type LimitRules } from "@tenon/base";
import type { ServeContext } from "@tenon/transports-streamable-http/server";

import { requestOf, type LambdaEvent } from "./event.ts";
import type { Deadline } from "./invocation.ts";

/** The required part of a handler, such as `createStatelessHandler` makes. */
export interface ServeHandler {
  serve(request: Request, context: ServeContext): Promise<Response>;
}

/** Other documents than the endpoint. `protectedResource` of `@tenon/auth/server` makes a route. */
export interface LambdaRoute {
  /** Returns `undefined` for a path that it does not serve. `context` has the client's address. */
  readonly fetch: (
    request: Request,
    context: { readonly address: string | undefined },
  ) => Promise<Response> | Response | undefined;
}

/** Options of both kinds of functions. */
export interface LambdaOptions {
  /** Served before the handler. By default only the handler is served. */
  readonly routes?: readonly LambdaRoute[] | undefined;
  /** Called with errors that the client gets no details of. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Limits of both kinds of functions. */
export interface LambdaLimits {
  /**
   * Time that is left for a response when the invocation is about to end, in milliseconds. A
   * request that still runs is cancelled. Default: `500`.
   */
  readonly reserveMs?: number | undefined;
}

/** The rules of {@link LambdaLimits}. */
export const lambdaLimits: LimitRules<LambdaLimits> = { reserveMs: [500, 0] };

/** The response to an event, which may not be read yet. */
interface Served {
  readonly response: Response;
  readonly isV1: boolean;
}

/** Serves an event. Resolves with 504 when the time of the invocation is up. Never rejects. */
export async function serve(
  handler: ServeHandler,
  event: LambdaEvent,
  { deadline, routes, onError }: Pick<LambdaOptions, "routes" | "onError"> & { readonly deadline: Deadline },
): Promise<Served> {
  const isV1 = isRecord(event) && "httpMethod" in event;
  let asked: ReturnType<typeof requestOf>;
  try {
    asked = requestOf(event, deadline.signal);
  } catch (error) {
    reportError({ onError }, error);
    return { response: plain(400, "Invalid request"), isV1 };
  }
  const answer = answerOf(handler, routes ?? [], asked);
  try {
    return { response: await unlessAborted(answer, deadline.signal), isV1 };
  } catch (error) {
    if (deadline.signal.aborted) {
      // A later response is not sent.
      answer.then(({ body }) => body?.cancel()).catch(() => undefined);
      return { response: late(), isV1 };
    }
    reportError({ onError }, error);
    return { response: failed(), isV1 };
  }
}

async function answerOf(
  handler: ServeHandler,
  routes: readonly LambdaRoute[],
  { request, address }: ReturnType<typeof requestOf>,
): Promise<Response> {
  for (const route of routes) {
    const response = await route.fetch(request, { address });
    if (response !== undefined) {
      return response;
    }
  }
  return handler.serve(request, { address });
}

/** The response to a request that failed. The client gets no details. */
export function failed(): Response {
  return plain(500, "Internal error");
}

/** The response to a request that did not end in time. */
export function late(): Response {
  return plain(504, "Cancelled before the timeout of the function. Raise the timeout, or return sooner.");
}

/** A response for people. */
export function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}
