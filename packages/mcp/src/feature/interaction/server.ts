import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";

import { McpError } from "../../base/error.ts";
import { quiet } from "../../base/values.ts";
import type { Next } from "../../request/middleware.ts";
import { isInputRequired, type InputRequired } from "../../request/server/input-required.ts";
import type { Interaction } from "../../request/server/interaction.ts";
import type { InnerServerRequest } from "../../request/server/request.ts";
import { interact } from "./server/ask.ts";
import { isSuspension, isToldToClient } from "./server/errors.ts";

/**
 * Whether a request contains responses or state: its interaction must be resumed before any input
 * request.
 */
export function isRetry({ params, rules, method }: InnerServerRequest): boolean {
  return (
    rules.methods[method]?.inputRequired === true &&
    ((params["requestState"] ?? undefined) !== undefined ||
      (params["inputResponses"] ?? undefined) !== undefined)
  );
}

/**
 * Wraps the handlers of a server. If a run waits for input, the client gets the input requests at
 * once, independent of the further actions of the handler. Results of handlers that request no
 * input are returned unchanged.
 */
export function answering(next: Next<InnerServerRequest>): Next<InnerServerRequest> {
  return (request) => {
    const result = run(request, next);
    if (request.rules.inputs === "requests") {
      return answerByRequests(request, next, result);
    }
    return request.rules.methods[request.method]?.inputRequired === true ? race(request, result) : result;
  };
}

/** Runs the handler. A synchronous throw is treated like a rejected promise. */
function run(request: InnerServerRequest, next: Next<InnerServerRequest>): unknown {
  try {
    return next(request);
  } catch (error) {
    if (request.asks) {
      return Promise.reject(error);
    }
    throw publicError(request, error);
  }
}

/**
 * Replaces input requests that middleware returned itself, as {@link answering} does for handlers.
 *
 * @param next - Runs middleware and handler again, for legacy clients.
 * @throws `McpError` `NOT_IN_REVISION` for a method that cannot request input.
 */
export function answeringMiddleware(
  request: InnerServerRequest,
  next: Next<InnerServerRequest>,
  value: InputRequired,
): unknown {
  const { rules, method } = request;
  if (rules.methods[method]?.inputRequired !== true && rules.inputs !== "requests") {
    const message = `Middleware cannot request input while handling ${method} in protocol version ${rules.revision}.`;
    throw new McpError("NOT_IN_REVISION", message);
  }
  return rules.inputs === "requests"
    ? answerByRequests(request, next, value)
    : interact(request, (interaction) => concluded(request, interaction, value));
}

function race(request: InnerServerRequest, result: unknown): unknown {
  const conclude = (value: unknown): unknown =>
    // Without an explicit result, and with nothing asked for, there is nothing to conclude.
    !request.asks && !isInputRequired(value)
      ? value
      : interact(request, (interaction) => concluded(request, interaction, value));
  if (!(result instanceof Promise)) {
    return conclude(result);
  }
  return new Promise((resolve, reject) => {
    request.onOutcome = resolve;
    const { outcome } = request.interaction ?? {};
    if (outcome !== undefined) {
      // The run ended before it waited for the first time.
      resolve(outcome);
    }
    result.then(
      (value: unknown) => resolve(conclude(value)),
      (error: unknown) => {
        void quiet(Promise.resolve(conclude(undefined)));
        reject(publicError(request, error));
      },
    );
  });
}

function concluded(request: InnerServerRequest, interaction: Interaction, value: unknown): unknown {
  if (interaction.outcome !== undefined) {
    return interaction.outcome;
  }
  const result = interaction.conclude(value);
  return result instanceof Promise
    ? result.catch((error: unknown) => {
        throw publicError(request, error);
      })
    : result;
}

function answerByRequests(
  request: InnerServerRequest,
  next: Next<InnerServerRequest>,
  result: unknown,
): unknown {
  const fail = (error: unknown): never => {
    throw publicError(request, error);
  };
  const fulfil = (value: unknown): unknown =>
    isInputRequired(value)
      ? Promise.resolve(
          interact(request, (interaction, { fulfilByRequests }) =>
            fulfilByRequests(request, interaction, next, value),
          ),
        ).catch(fail)
      : value;
  return result instanceof Promise ? result.then(fulfil, fail) : fulfil(result);
}

/** The error response to a request whose handler did not catch the error of an input request. */
export function publicError(request: Pick<InnerServerRequest, "rules">, error: unknown): unknown {
  if (!isToldToClient(error)) {
    return error;
  }
  return isMissing(request, error) && isRpcError(error.cause)
    ? error.cause
    : new RpcError(ErrorCode.InternalError, error.message);
}

/**
 * Returns the message for the model, if a tool failed because its client cannot provide input;
 * `undefined` for any other failure.
 *
 * @throws The error itself if the protocol defines an error response for it, or if the run was
 *   suspended.
 */
export function inputFailureMessage(
  request: Pick<InnerServerRequest, "rules">,
  error: unknown,
): string | undefined {
  const isTold = isToldToClient(error);
  if (isSuspension(error) || (isTold && isMissing(request, error))) {
    throw error;
  }
  return isTold ? error.message : undefined;
}

/** Whether the protocol version has an error code for an undeclared capability. */
function isMissing({ rules }: Pick<InnerServerRequest, "rules">, { code }: McpError): boolean {
  return code === "CAPABILITY_MISSING" && rules.missingCapability === "error";
}
