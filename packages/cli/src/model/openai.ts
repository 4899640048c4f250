import { isRecord } from "@tenon/base";
import { toOpenAiChatMessages, toOpenAiChatTool } from "@tenon/host";
import type { ModelMessage } from "@tenon/inspector";

import { numberAt, objectAt, objectsAt, textAt } from "./read.ts";
import type { Vendor } from "./vendor.ts";

/** OpenAI's Chat Completions API, which many other servers of models have too. */
export const openai: Vendor = {
  keys: ["OPENAI_API_KEY"],
  base: ["OPENAI_BASE_URL", "https://api.openai.com/v1"],
  request: (model, key, { system, messages, tools }) => ({
    path: "/chat/completions",
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: {
      model,
      messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        ...messages.flatMap(messageOf),
      ],
      ...(tools.length === 0
        ? {}
        : { tools: tools.map((tool) => toOpenAiChatTool({ server: "", name: tool.name, tool })) }),
    },
  }),
  response(json) {
    const message = objectAt(objectsAt(json, "choices")[0], "message");
    const usage = objectAt(json, "usage");
    return {
      text: textAt(message, "content"),
      calls: objectsAt(message, "tool_calls").map((call, index) => ({
        id: textAt(call, "id") || `call_${index}`,
        name: textAt(objectAt(call, "function"), "name"),
        arguments: argumentsOf(textAt(objectAt(call, "function"), "arguments")),
      })),
      usage: { input: numberAt(usage, "prompt_tokens"), output: numberAt(usage, "completion_tokens") },
    };
  },
};

/** Models write arguments as text, which need not be JSON. */
function argumentsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function messageOf(message: ModelMessage): readonly object[] {
  if (message.role === "user") {
    return [{ role: "user", content: message.text }];
  }
  if (message.role === "tool") {
    return toOpenAiChatMessages(message.call.id, message.result);
  }
  const calls = message.calls.map(({ id, name, arguments: args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const content = message.text === "" ? null : message.text;
  return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}
