import type { CreateMessageRequestParams, CreateMessageResult } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import type { Input, InputClient } from "../../request/input.ts";
import { requireCapability } from "../interaction/server/require.ts";
import { downConvertSampling, readMessage, toolUseProblem } from "./messages.ts";

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
