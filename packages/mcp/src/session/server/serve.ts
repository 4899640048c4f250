import { lazy, type Lazy } from "../../base/lazy.ts";
import { isFinal } from "../../base/result.ts";
import { answeringMiddleware, isRetry } from "../../feature/interaction/server.ts";
import { asking } from "../../feature/interaction/server/ask.ts";
import { isInputRequired, type InputRequired } from "../../request/server/input-required.ts";
import { admit } from "./admission.ts";
import type { ServerDefinition } from "./definition.ts";
import type * as knownUrisModule from "./known-uris.lazy.ts";
import { decorateResult } from "./open/envelope.ts";
import type { LiveServerRequest } from "./request.ts";
import { isObserved, publishRejected } from "./unseen.ts";
import type * as withinTimeModule from "./within-time.lazy.ts";

/** Loaded before a server with a time limit for handlers handles its first request. */
export const timing: Lazy<typeof withinTimeModule> = lazy(() => import("./within-time.lazy.ts"));

/** Loaded with the features that have URIs. */
export const knowing: Lazy<typeof knownUrisModule> = lazy(() => import("./known-uris.lazy.ts"));

/**
 * Handles a request: admits it, makes its URIs canonical, runs middleware and handler, and
 * completes their result.
 *
 * @throws As {@link admit} and `withKnownUris`, and the errors of middleware and handler.
 */
export function serve(definition: ServerDefinition, received: LiveServerRequest): unknown {
  if (isObserved()) {
    admitObserved(definition, received);
  } else {
    admit(definition, received);
  }
  return received.method.startsWith("resources/") || received.method === "subscriptions/listen"
    ? knowing.use(({ withKnownUris }) => withKnownUris(definition, received, run))
    : run(definition, received);
}

function run(definition: ServerDefinition, request: LiveServerRequest): unknown {
  const { limits, tools } = definition;
  const ofTool =
    tools.isTimed && request.method === "tools/call" ? tools.timeoutOf(request.params["name"]) : undefined;
  const timeoutMs = ofTool ?? limits.handlerTimeoutMs;
  return timeoutMs < Infinity && request.method !== "subscriptions/listen"
    ? timing.use(({ withinTime }) =>
        withinTime(
          request,
          timeoutMs,
          ofTool === undefined ? "handlerTimeoutMs" : "timeoutMs of the tool",
          () => handle(definition, request),
        ),
      )
    : handle(definition, request);
}

function admitObserved(definition: ServerDefinition, request: LiveServerRequest): void {
  try {
    admit(definition, request);
  } catch (error) {
    publishRejected(definition, request, error);
    throw error;
  }
}

function handle(definition: ServerDefinition, request: LiveServerRequest): unknown {
  if (isRetry(request)) {
    return resume(definition, request);
  }
  const result = definition.middleware.receive(request);
  return request.rules.era !== "legacy"
    ? finish(definition, request, result)
    : definition.middleware.isBare
      ? result
      : finishLegacy(definition, request, result);
}

/** Requests the input that middleware of a legacy request returned. */
function finishLegacy(definition: ServerDefinition, request: LiveServerRequest, result: unknown): unknown {
  const complete = (value: unknown): unknown =>
    isInputRequired(value) ? answerMiddleware(definition, request, value) : value;
  return result instanceof Promise ? result.then(complete) : complete(result);
}

function answerMiddleware(
  { middleware }: ServerDefinition,
  request: LiveServerRequest,
  value: InputRequired,
): unknown {
  return answeringMiddleware(request, (again) => middleware.receive(again), value);
}

async function resume(definition: ServerDefinition, request: LiveServerRequest): Promise<unknown> {
  const { middleware } = definition;
  request.asks = true;
  request.interaction = await asking.use(({ resumeInteraction }) => resumeInteraction(request));
  request.signal.throwIfAborted();
  return finish(definition, request, middleware.receive(request));
}

/**
 * Prepares the result of a modern request for sending. A suspended run returns its input requests,
 * even if a middleware made them.
 */
function finish(definition: ServerDefinition, request: LiveServerRequest, result: unknown): unknown {
  const { hints, info } = definition;
  const hint = hints.get(request.method);
  const decorate = (value: unknown): unknown => {
    const isDone = isFinal(value);
    if (!isDone && isInputRequired(value)) {
      const asked = answerMiddleware(definition, request, value);
      return asked instanceof Promise ? asked.then(decorate) : decorate(asked);
    }
    if (!isDone) {
      checkResultType(definition, request, value);
    }
    const outcome = isDone ? request.interaction?.outcome : undefined;
    return outcome === undefined
      ? decorateResult(value as object, hint, info)
      : outcome.then((asked) => decorateResult(asked, hint, info));
  };
  if (!(result instanceof Promise)) {
    return decorate(result);
  }
  return result.then(decorate, (error: unknown) => {
    const outcome = request.interaction?.outcome;
    if (outcome === undefined) {
      throw error;
    }
    return outcome.then((asked) => decorateResult(asked, hint, info));
  });
}

/**
 * Checks a result type that the protocol itself does not have. Without the extension the client
 * would misread the result.
 *
 * @source
 */
function checkResultType(
  { extensions }: ServerDefinition,
  { method, client }: LiveServerRequest,
  result: unknown,
): void {
  const { resultType } = result as { readonly resultType?: unknown };
  if (resultType !== "input_required" && !extensions.allows(method, resultType, client.capabilities)) {
    const got = JSON.stringify(resultType).slice(0, 100);
    throw new Error(`The result type of ${method} must belong to an extension of the client; got ${got}.`);
  }
}
