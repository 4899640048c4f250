import { isRecord } from "@tenon/jsonrpc2/transport";
import type { CreateMessageRequestParams, CreateMessageResult } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import type { Input, InputClient } from "../../request/input.ts";
import { requireCapability } from "../interaction/capability.ts";
import { downConvertSampling, toolUseProblem } from "./messages.ts";

const method = "sampling/createMessage";

/** The input request for a model's message. @throws `McpError`, see `RequestContext.sample`. */
export function samplingInput(
  params: CreateMessageRequestParams,
  { rules, client }: InputClient,
): Input<CreateMessageResult> {
  requireCapability(client.capabilities, { method, params, rules });
  const problem = toolUseProblem(params.messages);
  if (problem !== undefined) {
    throw new McpError("INVALID_DEFINITION", problem);
  }
  const { includeContext, ...rest } = downConvertSampling(params, rules);
  // a client that has not declared `context` gets no request for it. Before 2025-11-25 no
  // client could declare it.
  const mayInclude =
    client.capabilities.sampling?.context !== undefined ||
    rules.clientCapabilities["sampling"]?.has("context") !== true;
  const context = includeContext !== undefined && mayInclude ? { includeContext } : {};
  return { method, params: { ...rest, ...context }, read: readMessage };
}

/**
 * Returns the message in a client's response.
 *
 * @throws `McpError` `INVALID_RESULT`.
 * @source R-615
 */
export function readMessage(answer: unknown): CreateMessageResult {
  const { role, model, content } = isRecord(answer) ? answer : {};
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  const valid =
    (role === "user" || role === "assistant") &&
    typeof model === "string" &&
    blocks.every((block) => isRecord(block) && typeof block["type"] === "string");
  if (!valid) {
    throw new McpError(
      "INVALID_RESULT",
      "Invalid sampling/createMessage result: role, model and content are required.",
    );
  }
  return answer as CreateMessageResult;
}
