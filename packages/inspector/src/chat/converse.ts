import type { CallToolResult } from "@tenon/protocol";

import type { ChatModel, ModelCall, ModelMessage, ModelRequest } from "./model.ts";

/** Options of {@link converse}. */
export interface ConverseOptions extends Pick<ModelRequest, "system" | "tools"> {
  /** Responds to the messages, and chooses the calls. */
  readonly model: ChatModel;
  /** The conversation so far. Its last message is usually of the user. */
  readonly messages: readonly ModelMessage[];
  /** Calls a tool. The model gets its error as the result of the call. */
  readonly call: (call: ModelCall, signal: AbortSignal) => Promise<CallToolResult>;
  /** Called with each message that is added: responses and results. */
  readonly onMessage?: ((message: ModelMessage) => void) | undefined;
  /** Responses of the model at most. Default: 10. */
  readonly maxTurns?: number | undefined;
  /** Ends the conversation. */
  readonly signal: AbortSignal;
}

/** Calls of one response. More of them are refused. */
const maxCalls = 32;

/**
 * Sends a conversation to a model, and calls tools until it responds without a call.
 *
 * @returns The messages that were added. If the last message has calls, `maxTurns` was reached.
 * @throws Whatever the model throws; `signal.reason`.
 */
export async function converse({
  model,
  messages,
  call,
  onMessage = () => {},
  maxTurns = 10,
  signal,
  ...request
}: ConverseOptions): Promise<readonly ModelMessage[]> {
  const added: ModelMessage[] = [];
  const add = (message: ModelMessage): void => {
    added.push(message);
    onMessage(message);
  };
  for (let turn = 0; turn < maxTurns; turn++) {
    signal.throwIfAborted();
    const response = await model.respond({ ...request, messages: [...messages, ...added] }, signal);
    add({ role: "assistant", ...response });
    if (response.calls.length === 0) {
      break;
    }
    for (const [index, each] of response.calls.entries()) {
      const result =
        index < maxCalls ? await resultOf(call, each, signal) : refused("Too many calls at once.");
      add({ role: "tool", call: each, result });
    }
  }
  return added;
}

async function resultOf(
  call: ConverseOptions["call"],
  each: ModelCall,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    return await call(each, signal);
  } catch (error) {
    signal.throwIfAborted();
    return refused(error instanceof Error ? error.message : String(error));
  }
}

function refused(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
