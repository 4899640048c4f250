import { unlessAborted, type Clock } from "@tenon/base";
import type { ClientSession, RequestOptions } from "@tenon/mcp";
import type { CallToolResult, ProgressNotificationParams, Tool } from "@tenon/protocol";

import { HostError, isHostError } from "../error.ts";
import type { PinBoard } from "../policy/pins.ts";
import { truncateResult } from "../policy/truncate.ts";
import { perform } from "../server/perform.ts";
import { traced, type Trace } from "../server/wire.ts";
import type { Member } from "./member.ts";
import { isRefused, permit } from "./permit.ts";
import { notCalled } from "./tool-address.ts";

/** Options of one request. */
export interface HostRequestOptions {
  /** Cancels the request: the promise rejects with `signal.reason` and the server is notified. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `Manager.callTool`. */
export interface HostCallOptions extends HostRequestOptions {
  /** Called with each progress notification of the call, which also restarts the idle timeout. */
  readonly onProgress?: ((progress: ProgressNotificationParams) => void) | undefined;
  /**
   * Sends the permitted call on the session of the server, in place of `session.callTool`. A proxy
   * passes input requests on in this way. The policy approves, limits and repeats the call. Use the
   * signal of `options`, and reject with the error of the transport if there was no response.
   */
  readonly send?: ((session: ClientSession, options: RequestOptions) => Promise<CallToolResult>) | undefined;
}

/** One call of a tool. */
export interface ToolCall extends HostCallOptions {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Calls a tool as the server's policy allows: asks, waits for its turn, calls, cuts the result to
 * size.
 */
export async function callTool(
  member: Member,
  pins: PinBoard,
  clock: Clock,
  { tool, arguments: args, signal, onProgress, send }: ToolCall,
): Promise<CallToolResult> {
  const { server } = member;
  const { rules, name } = server;
  const definition = await definitionOf(member, pins, tool, signal);
  await permit(rules, { server: name, tool, definition, arguments: args }, clock, signal);
  if (rules.approve !== undefined) {
    // The approval takes time, in which the tool may have been replaced.
    await definitionOf(member, pins, tool, signal);
  }
  const { readOnlyHint, idempotentHint } = definition?.annotations ?? {};
  const isHarmless = readOnlyHint === true || idempotentHint === true;
  const leave = await server.gate.enter(signal);
  try {
    const result = await perform(
      server,
      clock,
      {
        phase: "call",
        side: "write",
        timeoutMs: rules.limits.totalTimeoutMs,
        isRepeatable: () => rules.retry === "idempotent" && isHarmless,
        run: (session, trace, options) =>
          send === undefined
            ? session.callTool(traced({ name: tool, arguments: args }, trace), { ...options, onProgress })
            : sent(send(session, options), trace),
      },
      signal,
    );
    return truncateResult(result, rules.limits.maxResultBytes);
  } finally {
    leave();
  }
}

/** Only the transport of the session can tell whether a request has left: another may have. */
function sent(result: Promise<CallToolResult>, trace: Trace): Promise<CallToolResult> {
  trace.delivered = "maybe";
  return result;
}

/**
 * A tool as its server describes it now, if that is known.
 *
 * @throws `HostError` `TOOL_CHANGED`; what fetching the list failed with, if the definition is
 *   needed.
 */
async function definitionOf(
  { server, lists }: Member,
  pins: PinBoard,
  tool: string,
  signal: AbortSignal | undefined,
): Promise<Tool | undefined> {
  const { rules, name } = server;
  const mayHaveDrifted = rules.drift === "refuse-changed" && pins.has(name) && lists.isMarked("tools");
  if (rules.readOnly || rules.drift === "refuse" || mayHaveDrifted) {
    try {
      await unlessAborted(lists.read("tools"), signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw isHostError(error) ? notCalled(error) : error;
    }
  }
  if (isRefused(rules, pins, name, tool)) {
    const message = `The tool ${tool} of ${name} is not what it was when it was pinned; look at it and accept it (acceptTools).`;
    throw new HostError("TOOL_CHANGED", message, { server: name, phase: "policy" });
  }
  return lists.last("tools")?.find((candidate) => candidate.name === tool);
}
