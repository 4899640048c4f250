import {
  anySignal,
  backoff,
  isRecord,
  kindOf,
  quotedMessage,
  type ResolvedLimits,
  sleep,
  unlessAborted,
} from "@tenon/base";
import { LocalError } from "@tenon/jsonrpc2/core";
import type {
  ClientCapabilities,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponses,
} from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import { isInputRequiredResult } from "../../../base/result.ts";
import type { ClientLimits } from "../../../request/client/limits.ts";
import type { InputRequiredHandler } from "../../../request/client/options.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import { lackingCapabilities } from "../capability.ts";

/** One request whose server needs input. */
export interface InputLoop {
  readonly method: string;
  readonly params: object | undefined;
  readonly rules: RevisionRules;
  readonly declared: ClientCapabilities;
  readonly limits: ResolvedLimits<ClientLimits>;
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Provides responses in place of the client's handlers. */
  readonly onInputRequired: InputRequiredHandler | undefined;
  /** Responds to one input request by the client's handlers. */
  answer(
    key: string,
    method: string,
    params: object | undefined,
    signal: AbortSignal,
  ): Promise<InputResponse>;
  /** Sends the request again, under a new id. */
  send(params: object): Promise<object>;
}

const maxBackoffMs = 30_000;

/**
 * Responds to the server's input requests and sends the request again, until the result arrives.
 * Only the responses and the state of the last round are sent, the state verbatim.
 *
 * @throws `McpError` `INVALID_RESULT` for a malformed result, or an input request whose capability
 *   this client has not declared; `INPUT_FAILED` if a handler failed; jsonrpc2's `LIMIT_EXCEEDED`;
 *   the reason of the signal.
 * @source R-649…R-651, R-657, T-56, T-57
 */
export async function fulfilInputs(first: object, loop: InputLoop): Promise<object> {
  const { maxRounds, repeatDelayMs } = loop.limits;
  const { inputResponses: _, requestState: __, ...salient } = (loop.params ?? {}) as Record<string, unknown>;
  let result = first;
  let idle = 0;
  for (let number = 1; ; number++) {
    const asked = readInputRequired(result, loop);
    if (number > maxRounds) {
      throw new LocalError(
        "LIMIT_EXCEEDED",
        `The server asked for input in more than ${maxRounds} rounds of ${loop.method} (maxRounds).`,
      );
    }
    const inputs = Object.keys(asked.inputRequests ?? {}).length;
    let responses: InputResponses | undefined;
    if (inputs > 0 || loop.onInputRequired !== undefined) {
      responses = await answerRound(asked, number, loop);
    } else {
      const delayMs = backoff(idle++, { initialDelayMs: repeatDelayMs, maxDelayMs: maxBackoffMs });
      await sleep(delayMs, { signal: loop.signal, keepsAlive: true });
    }
    result = await loop.send({
      ...salient,
      ...(responses === undefined ? {} : { inputResponses: responses }),
      ...(asked.requestState === undefined ? {} : { requestState: asked.requestState }),
    });
    if (!isInputRequiredResult(result)) {
      return result;
    }
  }
}

/**
 * Responds once to input requests that did not come in the result of a request.
 *
 * @throws As a request that requires input.
 */
export function answerInputs(inputRequests: InputRequests, loop: InputLoop): Promise<InputResponses> {
  return answerRound(readInputRequired({ inputRequests }, loop), 1, loop);
}

/** Checks all input requests before the first handler is called. */
function readInputRequired(result: object, loop: InputLoop): InputRequiredResult {
  const { inputRequests, requestState } = result as Record<string, unknown>;
  const hasState = typeof requestState === "string";
  if (
    (inputRequests !== undefined && !isRecord(inputRequests)) ||
    (requestState !== undefined && !hasState) ||
    (inputRequests === undefined && !hasState)
  ) {
    throw invalid(loop, "inputRequests must be an object, or requestState a string");
  }
  const entries = Object.entries(inputRequests ?? {});
  const { maxInputs } = loop.limits;
  if (entries.length > maxInputs) {
    throw new LocalError(
      "LIMIT_EXCEEDED",
      `The server sent ${entries.length} input requests in one result; the limit is ${maxInputs} (maxInputs).`,
    );
  }
  for (const [key, input] of entries) {
    checkInput(key, input, loop);
  }
  return result as InputRequiredResult;
}

function checkInput(key: string, input: unknown, loop: InputLoop): void {
  const method = isRecord(input) ? input["method"] : undefined;
  const params = isRecord(input) ? input["params"] : undefined;
  const name = JSON.stringify(key.slice(0, 100));
  if (typeof method !== "string" || loop.rules.methods[method]?.embedded !== true) {
    throw invalid(loop, `input request ${name} has an unknown method`);
  }
  if (params !== undefined && !isRecord(params)) {
    throw invalid(loop, `params of input request ${name} must be an object`);
  }
  const lacking = lackingCapabilities(loop.declared, { method, params }, loop.rules);
  if (lacking !== undefined) {
    throw invalid(
      loop,
      `input request ${name} requires ${JSON.stringify(lacking)}, which this client has not declared; the server must return -32021`,
    );
  }
}

function invalid({ method }: InputLoop, problem: string): McpError {
  return new McpError("INVALID_RESULT", `Invalid ${method} result: ${problem}.`);
}

async function answerRound(
  asked: InputRequiredResult,
  number: number,
  loop: InputLoop,
): Promise<InputResponses> {
  const { onInputRequired } = loop;
  const stop = new AbortController();
  const signal = anySignal([loop.signal, stop.signal]);
  const answers =
    onInputRequired === undefined
      ? answerAll(asked, loop, signal)
      : own(onInputRequired, asked, { number, signal });
  try {
    return await unlessAborted(answers, loop.signal);
  } finally {
    // After one failure the responses to the other input requests are no longer needed.
    stop.abort(new DOMException("Response no longer needed.", "AbortError"));
  }
}

async function own(
  handler: InputRequiredHandler,
  ...args: Parameters<InputRequiredHandler>
): Promise<InputResponses> {
  const responses: unknown = await handler(...args);
  if (!isRecord(responses)) {
    const message = `onInputRequired must return an object of responses; got ${kindOf(responses)}.`;
    throw new McpError("INPUT_FAILED", message);
  }
  return responses as InputResponses;
}

async function answerAll(
  { inputRequests = {} }: InputRequiredResult,
  loop: InputLoop,
  signal: AbortSignal,
): Promise<InputResponses> {
  const entries = await Promise.all(
    Object.entries(inputRequests).map(async ([key, { method, params }]) => {
      try {
        return [key, await loop.answer(key, method, params, signal)] as const;
      } catch (error) {
        const why = quotedMessage(error);
        throw new McpError("INPUT_FAILED", `${loop.method} needs ${method}, which failed: ${why}`, {
          cause: error,
        });
      }
    }),
  );
  return Object.fromEntries(entries);
}
