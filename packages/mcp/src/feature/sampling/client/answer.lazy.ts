import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { CreateMessageRequestParams, CreateMessageResult } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import type { InnerClientRequest } from "../../../request/client/request.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import type { SamplingHandler } from "../client.ts";
import { readMessage, toolUseProblem } from "../messages.ts";

/**
 * Calls the sampling handler, and validates its params and its result.
 *
 * @throws `RpcError` `-32602` for malformed params; the error of the handler.
 */
export async function sample(
  params: Readonly<Record<string, unknown>>,
  request: InnerClientRequest,
  createMessage: SamplingHandler,
): Promise<CreateMessageResult> {
  checkParams(params);
  const result = readMessage(await createMessage(params, request));
  return request.session === undefined ? result : downConvertMessage(result, request.session.rules);
}

/** @throws `RpcError` */
function checkParams(
  params: Readonly<Record<string, unknown>>,
): asserts params is Readonly<Record<string, unknown>> & CreateMessageRequestParams {
  const { messages, maxTokens } = params;
  const valid =
    Array.isArray(messages) &&
    typeof maxTokens === "number" &&
    messages.every(
      (message) =>
        isRecord(message) &&
        (message["role"] === "user" || message["role"] === "assistant") &&
        (Array.isArray(message["content"]) ? message["content"] : [message["content"]]).every(isRecord),
    );
  const problem = valid
    ? toolUseProblem(messages)
    : "sampling/createMessage needs messages, each with a role and content, and maxTokens";
  if (problem !== undefined) {
    throw new RpcError(ErrorCode.InvalidParams, problem);
  }
}

/** @throws `McpError` `NOT_IN_REVISION` for several blocks where a message has one. */
function downConvertMessage(result: CreateMessageResult, rules: RevisionRules): CreateMessageResult {
  if (rules.samplingBlocks || !Array.isArray(result.content)) {
    return result;
  }
  const [content, ...more] = result.content;
  if (content === undefined || more.length > 0) {
    throw new McpError(
      "NOT_IN_REVISION",
      `A sampled message of revision ${rules.revision} has one block of content; got ${result.content.length}.`,
    );
  }
  return { ...result, content };
}
