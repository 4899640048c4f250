import { ErrorCode, RpcError } from "@tenon/jsonrpc2";
import type { CreateMessageRequestParams, CreateMessageResult } from "@tenon/protocol";

import { McpError } from "../../error.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import type { ClientRequest } from "../../session/client-request.ts";
import { isRecord } from "../../session/meta.ts";
import type { ClientFeature } from "../client-feature.ts";
import { toolUseProblem } from "./messages.ts";
import { readMessage } from "./server.ts";

/**
 * Lets a model answer a conversation for a server, after a person has agreed. It must not produce more than `maxTokens`.
 *
 * To refuse, throw: in the legacy era an `RpcError` reaches the server as it is (−1 means that the user said no), in the modern era the server hears nothing and the
 * request that needed the answer rejects with `INPUT_FAILED`.
 *
 * @param request - `signal` fires when the answer is no longer wanted; `session` says who asks.
 */
export type SamplingHandler = (
  params: CreateMessageRequestParams,
  request: ClientRequest,
) => CreateMessageResult | Promise<CreateMessageResult>;

/** How a client samples. */
export interface SamplingOptions {
  readonly createMessage: SamplingHandler;
  /** Whether `createMessage` heeds `tools` and `toolChoice`; otherwise servers may not send any. Default `false`. */
  readonly tools?: boolean | undefined;
  /** Whether it heeds `includeContext`. Default `false`. */
  readonly context?: boolean | undefined;
}

/** Answers `sampling/createMessage`. */
export function samplingFeature({ createMessage, tools, context }: SamplingOptions): ClientFeature {
  const sampling = { ...(tools === true ? { tools: {} } : {}), ...(context === true ? { context: {} } : {}) };
  return {
    capabilities: { sampling: () => sampling },
    methods: {
      "sampling/createMessage": async (params, request) => {
        checkParams(params);
        const result = readMessage(
          await createMessage(params as unknown as CreateMessageRequestParams, request),
        );
        return request.session === undefined ? result : downConvertMessage(result, request.session.rules);
      },
    },
  };
}

function checkParams({ messages, maxTokens }: Readonly<Record<string, unknown>>): void {
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
