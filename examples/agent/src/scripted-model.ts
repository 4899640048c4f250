import type Anthropic from "@anthropic-ai/sdk";

import type { Model } from "./agent.ts";

/** One turn of a scripted model: calls of tools, or the final text. */
export type Turn =
  | { readonly calls: readonly { readonly tool: string; readonly input: object }[] }
  | { readonly text: (lastResults: readonly string[]) => string };

/** A model that follows a script, so that the agent runs without a network and without a key. */
export function scriptedModel(turns: readonly Turn[]): Model {
  let next = 0;
  return async ({ messages, tools = [] }) => {
    const turn = turns[next++];
    if (turn === undefined) {
      throw new Error("Cannot continue: the model has no further turn.");
    }
    if ("text" in turn) {
      const text = turn.text(resultsOf(messages.at(-1)));
      return { content: [{ type: "text", text, citations: null }], stop_reason: "end_turn" };
    }
    const names = tools.flatMap((each) => ("name" in each ? [each.name] : []));
    const content = turn.calls.map(({ tool, input }, index) => {
      const known = names.find((name) => name.endsWith(`__${tool}`));
      if (known === undefined) {
        throw new Error(`The agent offers no tool ${tool}.`);
      }
      return {
        type: "tool_use",
        id: `call_${next}_${index}`,
        name: known,
        input,
      } as Anthropic.ToolUseBlock;
    });
    return { content, stop_reason: "tool_use" };
  };
}

function resultsOf(message: Anthropic.MessageParam | undefined): readonly string[] {
  const blocks = typeof message?.content === "string" ? [] : (message?.content ?? []);
  return blocks.flatMap((block) =>
    block.type === "tool_result" && Array.isArray(block.content)
      ? block.content.map((part) => (part.type === "text" ? part.text : `(${part.type})`))
      : [],
  );
}
