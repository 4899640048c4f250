import { isRecord } from "@tenon/base";
import type {
  ContentBlock,
  CreateMessageRequestParams,
  CreateMessageResult,
  SamplingMessage,
  SamplingMessageContentBlock,
} from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { downConvertBlock } from "../content-blocks.ts";

/** The blocks of a message. */
function blocksOf({ content }: SamplingMessage): readonly SamplingMessageContentBlock[] {
  return Array.isArray(content) ? content : [content];
}

/**
 * Describes why the tool calls of a conversation are not valid; `undefined` if they are. Every call
 * of the assistant must have its result in the next message, which is a user message and contains
 * only results.
 *
 * @source R-607
 */
export function toolUseProblem(messages: readonly SamplingMessage[]): string | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.toolUseId] : []));
    if (results.length > 0 && (message.role !== "user" || results.length < blocks.length)) {
      return `Message ${index} mixes tool results with something else, or is not the user's.`;
    }
    const missing = [...open].filter((id) => !results.includes(id));
    if (missing.length > 0) {
      return `Message ${index} lacks the results of tool calls ${missing.join(", ").slice(0, 200)}.`;
    }
    const unasked = results.filter((id) => !open.has(id));
    if (unasked.length > 0) {
      return `Message ${index} has results of tool calls that were not made: ${unasked.join(", ").slice(0, 200)}.`;
    }
    open = new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
    if (open.size > 0 && message.role !== "assistant") {
      return `Message ${index} calls tools but is not the assistant's.`;
    }
  }
  return open.size > 0 ? "The tool calls of the last message lack results." : undefined;
}

/**
 * The parameters as a revision knows them: where a message has one block only, several become
 * several messages.
 *
 * @throws `McpError` `NOT_IN_REVISION` for tools, or for a type of content, that the revision
 *   lacks.
 */
export function downConvertSampling(
  params: CreateMessageRequestParams,
  rules: RevisionRules,
): CreateMessageRequestParams {
  if (rules.samplingBlocks) {
    return params;
  }
  const messages = params.messages.flatMap((message) =>
    blocksOf(message).map((block) => {
      if (!rules.members.blockTypes.has(block.type)) {
        throw new McpError(
          "NOT_IN_REVISION",
          `Revision ${rules.revision} has no ${block.type} content in sampling.`,
        );
      }
      const content = downConvertBlock(block as ContentBlock, rules) as SamplingMessageContentBlock;
      return { role: message.role, content };
    }),
  );
  return { ...params, messages };
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
