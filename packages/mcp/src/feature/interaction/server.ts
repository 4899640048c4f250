import { ErrorCode, isRpcError, LocalError, RpcError } from "@tenon/jsonrpc2";
import type { InputResponses } from "@tenon/protocol";

import { isMcpError } from "../../error.ts";
import type { Next } from "../../middleware.ts";
import type { ServerRequest } from "../../session/request.ts";
import { requireCapability } from "./capability.ts";
import { DirectInteraction } from "./direct.ts";
import { isInputRequired, type InputRequired } from "./explicit.ts";
import type { Interaction } from "./interaction.ts";
import type { InteractionService } from "./options.ts";
import { Replay } from "./replay.ts";
import { firstRound, resume } from "./resume.ts";
import { isSuspension } from "./suspension.ts";

/** Makes the interaction of a request that is about to ask for the first time. */
export function createInteraction(request: ServerRequest, service: InteractionService): Interaction {
  return request.rules.inputs === "requests"
    ? new DirectInteraction(request)
    : new Replay(request, service, firstRound);
}

/** True for a request that brings answers or state with it: {@link resumeInteraction} must come before anything that may ask. */
export function isRetry({ params, rules, method }: ServerRequest): boolean {
  return (
    (params["requestState"] !== undefined || params["inputResponses"] !== undefined) &&
    rules.methods[method]?.inputRequired === true
  );
}

/** Makes the interaction of a retry. @throws `RpcError` −32602 for state that is not accepted. */
export async function resumeInteraction(
  request: ServerRequest,
  service: InteractionService,
): Promise<Interaction> {
  return new Replay(request, service, await resume(request, service));
}

/**
 * Wraps the handlers of a server: a run that waits for input is answered at once with what it asks for, whatever the handler does from then on. Handlers
 * that return without having asked pass through untouched.
 */
export function answering(service: InteractionService, next: Next<ServerRequest>): Next<ServerRequest> {
  return (request) => {
    const result = next(request);
    if (request.rules.inputs === "requests") {
      return answerByRequests(service, request, next, result);
    }
    return request.rules.methods[request.method]?.inputRequired === true ? race(request, result) : result;
  };
}

/** The outcome of a run that a middleware, rather than the handler, has put off. */
export function outcomeOf({ startedInteraction }: ServerRequest): Promise<object> | undefined {
  return startedInteraction instanceof Replay ? startedInteraction.outcome : undefined;
}

function race(request: ServerRequest, result: unknown): unknown {
  const conclude = (value: unknown): unknown => {
    // Without an explicit result, and with nothing asked for, there is nothing to conclude.
    if (request.startedInteraction === undefined && !isInputRequired(value)) {
      return value;
    }
    const replay = request.interaction as Replay;
    if (replay.outcome !== undefined) {
      return replay.outcome;
    }
    const concluded = replay.conclude(value);
    return concluded instanceof Promise
      ? concluded.catch((error: unknown) => {
          throw publicError(request, error);
        })
      : concluded;
  };
  if (!(result instanceof Promise)) {
    return conclude(result);
  }
  return new Promise((resolve, reject) => {
    request.onOutcome = resolve;
    result.then(
      (value: unknown) => resolve(conclude(value)),
      (error: unknown) => {
        conclude(undefined);
        reject(publicError(request, error));
      },
    );
  });
}

function answerByRequests(
  service: InteractionService,
  request: ServerRequest,
  next: Next<ServerRequest>,
  result: unknown,
): unknown {
  const fail = (error: unknown): never => {
    throw publicError(request, error);
  };
  const fulfil = (value: unknown): unknown =>
    isInputRequired(value) ? fulfilByRequests(service, request, next, value).catch(fail) : value;
  return result instanceof Promise ? result.then(fulfil, fail) : fulfil(result);
}

/** Does for a legacy client what a modern one does itself: asks, and runs the handler again with the answers. */
async function fulfilByRequests(
  service: InteractionService,
  request: ServerRequest,
  next: Next<ServerRequest>,
  first: InputRequired,
): Promise<unknown> {
  let last = first;
  const interaction = request.interaction as DirectInteraction;
  for (let round = 0; round < service.maxRounds; round++) {
    const inputs = Object.entries(last.inputRequests ?? {});
    if (inputs.length > service.maxInputs) {
      throw limit(
        service,
        request,
        `A request may ask for ${service.maxInputs} inputs at a time (maxInputs).`,
      );
    }
    const { rules, client } = request;
    for (const [, input] of inputs) {
      requireCapability(client.capabilities, { ...input, rules });
    }
    const answers = await Promise.all(
      inputs.map(async ([key, { method, params = {} }]) => [
        key,
        await interaction.call(method, params, undefined, 0),
      ]),
    );
    interaction.restart(last, Object.fromEntries(answers) as InputResponses);
    const result = await next(request);
    if (!isInputRequired(result)) {
      return result;
    }
    last = result;
  }
  throw limit(
    service,
    request,
    `The request has asked for input ${service.maxRounds} times already (maxRounds).`,
  );
}

function limit(service: InteractionService, { method }: ServerRequest, message: string): RpcError {
  service.onError(new LocalError("LIMIT_EXCEEDED", `${method}: ${message}`));
  return new RpcError(ErrorCode.InternalError, message);
}

/** The error that answers a request whose handler let a failed question pass. */
function publicError(request: ServerRequest, error: unknown): unknown {
  if (isMcpError(error, "CAPABILITY_MISSING")) {
    return request.rules.missingCapability === "error" && isRpcError(error.cause)
      ? error.cause
      : new RpcError(ErrorCode.InternalError, error.message);
  }
  return isMcpError(error, "INPUT_FAILED") ? new RpcError(ErrorCode.InternalError, error.message) : error;
}

/**
 * The message for the model, if a tool failed because its client could not be asked; `undefined` for any other failure.
 *
 * @throws The error itself if the protocol has an answer of its own for it, or if the run was put off.
 */
export function inputFailureMessage({ rules }: ServerRequest, error: unknown): string | undefined {
  const undeclared = isMcpError(error, "CAPABILITY_MISSING");
  if (isSuspension(error) || (undeclared && rules.missingCapability === "error")) {
    throw error;
  }
  return undeclared || isMcpError(error, "INPUT_FAILED") ? error.message : undefined;
}
