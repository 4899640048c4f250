import { fromAnthropicArguments, toAnthropicTool, toAnthropicToolResult } from "@tenon/host";
import type { ModelMessage } from "@tenon/inspector";

import { numberAt, objectAt, objectsAt, textAt } from "./read.ts";
import type { Vendor } from "./vendor.ts";

const maxTokens = 4096;

/** Anthropic's Messages API. */
export const anthropic: Vendor = {
  keys: ["ANTHROPIC_API_KEY"],
  base: ["ANTHROPIC_BASE_URL", "https://api.anthropic.com"],
  request: (model, key, { system, messages, tools }) => ({
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01", ...(key === undefined ? {} : { "x-api-key": key }) },
    body: {
      model,
      max_tokens: maxTokens,
      ...(system === undefined ? {} : { system }),
      messages: messagesOf(messages),
      ...(tools.length === 0
        ? {}
        : { tools: tools.map((tool) => toAnthropicTool({ server: "", name: tool.name, tool })) }),
    },
  }),
  response(json, { tools }) {
    const blocks = objectsAt(json, "content");
    const calls = blocks.filter(({ type }) => type === "tool_use");
    const usage = objectAt(json, "usage");
    return {
      text: blocks.map((block) => textAt(block, "text")).join(""),
      calls: calls.map((block) => {
        const name = textAt(block, "name");
        const schema = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
        const args = fromAnthropicArguments(schema, objectAt(block, "input"));
        return { id: textAt(block, "id"), name, arguments: args };
      }),
      usage: { input: numberAt(usage, "input_tokens"), output: numberAt(usage, "output_tokens") },
      own: blocks,
    };
  },
};

/** Results follow their calls in one message of the user. */
function messagesOf(messages: readonly ModelMessage[]): readonly object[] {
  const sent: { role: string; content: unknown[] }[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const content = toAnthropicToolResult(message.call.id, message.result);
      const last = sent.at(-1);
      if (last?.role === "user") {
        last.content.push(content);
      } else {
        sent.push({ role: "user", content: [content] });
      }
    } else if (message.role === "user") {
      sent.push({ role: "user", content: [{ type: "text", text: message.text }] });
    } else {
      const { text, calls, own } = message;
      const content = Array.isArray(own)
        ? (own as unknown[])
        : [
            ...(text === "" ? [] : [{ type: "text", text }]),
            ...calls.map(({ id, name, arguments: input }) => ({ type: "tool_use", id, name, input })),
          ];
      sent.push({ role: "assistant", content });
    }
  }
  return sent;
}
