import { fromGeminiArguments, toGeminiFunction, toGeminiParts } from "@tenon/host";
import type { ModelMessage } from "@tenon/inspector";

import { numberAt, objectAt, objectsAt, textAt } from "./read.ts";
import type { Vendor } from "./vendor.ts";

/** Google's Gemini API. */
export const gemini: Vendor = {
  keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  base: ["GEMINI_BASE_URL", "https://generativelanguage.googleapis.com"],
  request: (model, key, { system, messages, tools }) => ({
    path: `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    headers: key === undefined ? {} : { "x-goog-api-key": key },
    body: {
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      contents: contentsOf(messages),
      ...(tools.length === 0
        ? {}
        : {
            tools: [
              {
                functionDeclarations: tools.map((tool) =>
                  toGeminiFunction({ server: "", name: tool.name, tool }),
                ),
              },
            ],
          }),
    },
  }),
  response(json, { tools }) {
    const parts = objectsAt(objectAt(objectsAt(json, "candidates")[0], "content"), "parts");
    const usage = objectAt(json, "usageMetadata");
    return {
      text: parts.map((part) => (part["thought"] === true ? "" : textAt(part, "text"))).join(""),
      calls: parts
        .filter((part) => part["functionCall"] !== undefined)
        .map((part, index) => {
          const call = objectAt(part, "functionCall");
          const name = textAt(call, "name");
          const schema = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
          const args = fromGeminiArguments(schema, objectAt(call, "args"));
          return { id: textAt(call, "id") || `call_${index}`, name, arguments: args };
        }),
      usage: {
        input: numberAt(usage, "promptTokenCount"),
        output: numberAt(usage, "candidatesTokenCount"),
      },
      // The parts of some models carry signatures of their thoughts, which they need again.
      own: parts,
    };
  },
};

function contentsOf(messages: readonly ModelMessage[]): readonly object[] {
  const sent: { role: string; parts: unknown[] }[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const { id, name } = message.call;
      // An ID that was made up here is unknown to the model.
      const parts = toGeminiParts(name, message.result, id.startsWith("call_") ? undefined : id);
      const last = sent.at(-1);
      if (last?.role === "user") {
        last.parts.push(...parts);
      } else {
        sent.push({ role: "user", parts: [...parts] });
      }
    } else if (message.role === "user") {
      sent.push({ role: "user", parts: [{ text: message.text }] });
    } else {
      const { text, calls, own } = message;
      const parts = Array.isArray(own)
        ? (own as unknown[])
        : [
            ...(text === "" ? [] : [{ text }]),
            ...calls.map(({ name, arguments: args }) => ({ functionCall: { name, args } })),
          ];
      sent.push({ role: "model", parts });
    }
  }
  return sent;
}
