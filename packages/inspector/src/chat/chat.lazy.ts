import { modelTools } from "@tenon/apps/host";
import { reasonOf } from "@tenon/base";
import { truncateResult } from "@tenon/host";
import type { ClientSession } from "@tenon/mcp/client";
import type { CallToolResult, Tool } from "@tenon/protocol";

import type { Approval } from "../wire/action.ts";
import type { ChatCall, ChatMessage, ChatState } from "../wire/chat.ts";
import { converse } from "./converse.ts";
import type { ChatModel, ModelCall, ModelMessage } from "./model.ts";

/** The most characters of a conversation, with its results, and the most bytes of one result. */
const maxLength = 2_000_000;
const maxResultBytes = 200_000;
/** Tools beyond these are not offered to the model. */
const maxTools = 1000;

/** A conversation of the person with a model. */
export interface Chat {
  readonly state: ChatState;
  /**
   * Sends a message, and resolves when the model has responded without a call. Failures are in
   * {@link state}.
   *
   * @throws `TypeError` while the model works, and for a conversation that is too long.
   */
  say(text: string): Promise<void>;
  /** Decides about a call. Returns false for a call that does not wait. */
  approve(call: string, approval: Approval): boolean;
  /** Ends what the model or a call does. */
  stop(): void;
  /** Removes the messages and the approvals. */
  forget(): void;
}

/** The functions that a chat uses. */
export interface ChatOwner {
  readonly model: ChatModel;
  /** @throws If the server is not connected. */
  readonly session: () => ClientSession;
  /** Calls a tool in a session, as a call of the page with this ID. */
  readonly callTool: (
    opened: ClientSession,
    call: string,
    params: { readonly name: string; readonly arguments: object },
    signal: AbortSignal,
  ) => Promise<CallToolResult>;
  readonly onChange: () => void;
}

/** Creates a conversation without messages. Nothing is sent before {@link Chat.say}. */
export function createChat({ model, session, callTool, onChange }: ChatOwner): Chat {
  let messages: ModelMessage[] = [];
  let length = 0;
  let calls = new Map<ModelCall, ChatCall>();
  let trusted = new Set<string>();
  let usage = { input: 0, output: 0 };
  let reason: string | undefined;
  let running: AbortController | undefined;
  const waiting = new Map<string, (approval: Approval) => void>();
  let count = 0;

  function setCall(call: ModelCall, phase: ChatCall["phase"]): string {
    const id = calls.get(call)?.id ?? `chat-${++count}`;
    calls.set(call, { id, name: call.name, arguments: call.arguments, phase });
    onChange();
    return id;
  }

  /** Waits for the person, unless calls of this definition are allowed. */
  async function ask(call: ModelCall, tool: Tool, signal: AbortSignal): Promise<boolean> {
    const definition = JSON.stringify(tool);
    if (trusted.has(definition)) {
      return true;
    }
    const id = setCall(call, "asking");
    const approval = await new Promise<Approval>((resolve, reject) => {
      const abort = (): void => {
        waiting.delete(id);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", abort, { once: true });
      waiting.set(id, (given) => {
        waiting.delete(id);
        signal.removeEventListener("abort", abort);
        resolve(given);
      });
    });
    if (approval === "always") {
      trusted.add(definition);
    }
    return approval !== "refuse";
  }

  function push(message: ModelMessage): void {
    const added = JSON.stringify(message).length;
    if (length + added > maxLength) {
      throw new TypeError(`Expected a conversation of at most ${maxLength} characters; start a new chat.`);
    }
    length += added;
    messages.push(message);
  }

  async function perform(
    opened: ClientSession,
    call: ModelCall,
    tools: readonly Tool[],
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const { name } = call;
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) {
      setCall(call, "refused");
      throw new Error(`Expected a tool of the server; got ${JSON.stringify(name)}.`);
    }
    try {
      if (!(await ask(call, tool, signal))) {
        setCall(call, "refused");
        throw new Error("The user refused the call.");
      }
      const id = setCall(call, "running");
      const result = await callTool(opened, id, { name, arguments: call.arguments }, signal);
      setCall(call, "ended");
      return truncateResult(result, maxResultBytes);
    } catch (error) {
      // Unless the person has started a new chat.
      if (running?.signal === signal) {
        const phase = calls.get(call)?.phase;
        setCall(call, phase === "running" ? "ended" : "refused");
      }
      throw error;
    }
  }

  /** A vendor refuses a conversation in which a call has no result. */
  function completeCalls(): void {
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    const message = messages[last];
    const results = messages.slice(last + 1);
    for (const call of message?.role === "assistant" ? message.calls : []) {
      if (!results.some((one) => one.role === "tool" && one.call === call)) {
        setCall(call, calls.get(call)?.phase === "ended" ? "ended" : "refused");
        const text = "The user stopped the conversation.";
        messages.push({ role: "tool", call, result: { content: [{ type: "text", text }], isError: true } });
      }
    }
  }

  async function respond(signal: AbortSignal): Promise<void> {
    const opened = session();
    const tools = await toolsOf(opened, signal);
    const added = await converse({
      model,
      system: opened.instructions,
      tools,
      messages: [...messages],
      signal,
      call: (call) => perform(opened, call, tools, signal),
      onMessage(message) {
        signal.throwIfAborted();
        push(message);
        if (message.role === "assistant") {
          usage = {
            input: usage.input + message.usage.input,
            output: usage.output + message.usage.output,
          };
        }
        onChange();
      },
    });
    if (added.at(-1)?.role === "tool") {
      reason = "Expected a message of the model; got ten responses with calls. Send another message.";
    }
  }

  return {
    get state() {
      return {
        model: model.name,
        messages: messages.flatMap((message): readonly ChatMessage[] => {
          if (message.role === "tool") {
            return [];
          }
          const { role, text } = message;
          return role === "user"
            ? [{ role, text }]
            : [{ role, text, calls: message.calls.map((call) => calls.get(call) ?? pending(call)) }];
        }),
        isBusy: running !== undefined,
        ...(reason === undefined ? {} : { reason }),
        usage,
      };
    },
    async say(text) {
      if (running !== undefined) {
        throw new TypeError("Expected one message at a time; stop the model first.");
      }
      push({ role: "user", text });
      const control = new AbortController();
      running = control;
      reason = undefined;
      onChange();
      try {
        await respond(control.signal);
      } catch (error) {
        if (running === control) {
          reason = control.signal.aborted ? "You stopped the model." : reasonOf(error);
        }
      } finally {
        // Unless the person has started a new chat.
        if (running === control) {
          running = undefined;
          completeCalls();
          onChange();
        }
      }
    },
    approve(call, approval) {
      const decide = waiting.get(call);
      decide?.(approval);
      return decide !== undefined;
    },
    stop() {
      running?.abort(new Error("The person stopped the conversation."));
    },
    forget() {
      running?.abort(new Error("The person started a new conversation."));
      running = undefined;
      messages = [];
      length = 0;
      calls = new Map();
      trusted = new Set();
      usage = { input: 0, output: 0 };
      reason = undefined;
      onChange();
    },
  };
}

/** A call that waits for the calls before it. */
function pending({ name, arguments: args }: ModelCall): ChatCall {
  return { id: "", name, arguments: args, phase: "running" };
}

/** The tools that the server offers to models. */
async function toolsOf(session: ClientSession, signal: AbortSignal): Promise<readonly Tool[]> {
  const tools: Tool[] = [];
  if (session.serverCapabilities.tools === undefined) {
    return tools;
  }
  for await (const tool of session.tools({ signal })) {
    if (tools.length >= maxTools) {
      break;
    }
    tools.push(tool);
  }
  // The others are for views.
  return modelTools(tools);
}
