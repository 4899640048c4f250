import type Anthropic from "@anthropic-ai/sdk";
import {
  fromAnthropicArguments,
  toAnthropicTool,
  toAnthropicToolResult,
  type Manager,
} from "@tenon/sdk/host";

/** `client.messages.create` of the Anthropic SDK, or anything of the same type. */
export type Model = (body: Anthropic.MessageCreateParamsNonStreaming) => Promise<{
  readonly content: Anthropic.ContentBlock[];
  readonly stop_reason: Anthropic.Message["stop_reason"];
}>;

/** Options of {@link runAgent}. */
export interface AgentOptions {
  readonly model: Model;
  readonly manager: Manager;
  readonly prompt: string;
  /** Called with each call of a tool before it runs. */
  readonly onCall?: ((name: string, input: unknown) => void) | undefined;
  /** Maximum number of requests to the model. Default: `10`. */
  readonly maxTurns?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a model that calls the tools of all servers until it responds without a call.
 *
 * @throws `Error` if the model still calls tools after `maxTurns`.
 */
export async function runAgent(options: AgentOptions): Promise<string> {
  const { model, manager, prompt, onCall, maxTurns = 10, signal } = options;
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: prompt }];
  for (let turn = 0; turn < maxTurns; turn++) {
    signal?.throwIfAborted();
    // The lists are read again in each turn, because servers may change them.
    const known = await manager.tools();
    const tools = known.map(toAnthropicTool);
    const { content, stop_reason } = await model({
      model: "claude-sonnet-4-5",
      max_tokens: 1024,
      messages,
      tools,
    });
    messages.push({ role: "assistant", content });
    const calls = content.filter((block) => block.type === "tool_use");
    if (stop_reason !== "tool_use" || calls.length === 0) {
      return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    }
    const results = calls.map(async ({ id, name, input }) => {
      onCall?.(name, input);
      try {
        // Names of properties that Anthropic does not accept were replaced in the tool.
        const schema = known.find((tool) => tool.name === name)?.tool.inputSchema ?? {};
        const args = fromAnthropicArguments(schema, input as Readonly<Record<string, unknown>>);
        return toAnthropicToolResult(id, await manager.callToolByName(name, args, { signal }));
      } catch (error) {
        // The model reads the reason, such as a call that the user did not approve.
        const text = error instanceof Error ? error.message : String(error);
        return toAnthropicToolResult(id, { content: [{ type: "text", text }], isError: true });
      }
    });
    messages.push({ role: "user", content: await Promise.all(results) });
  }
  throw new Error(`The model still calls tools after ${maxTurns} turns.`);
}
