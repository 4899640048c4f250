import type { CallToolResult, Implementation, Tool } from "@tenon/protocol";

import type { HostContext } from "../wire/context.ts";

/**
 * A host's end of the conversation with a view. Messages to the view are held until it has shaken
 * hands; failures to send them are reported to `onError`. A view that shakes hands again, because
 * it was loaded again, gets the input and the outcome again.
 */
export interface ViewBridge extends AsyncDisposable {
  /**
   * Resolves when the view has shaken hands.
   *
   * @throws `LocalError` `TIMEOUT` after `limits.handshakeTimeoutMs`; `CONNECTION_CLOSED` if the
   *   bridge ended before.
   */
  readonly ready: Promise<void>;
  /** Resolves when the bridge has ended. Never rejects. */
  readonly closed: Promise<void>;
  /** Name and version of the view, unverified; `undefined` before the handshake. */
  readonly viewInfo: Implementation | undefined;
  /** Whether the view offers tools of its own. */
  readonly hasTools: boolean;
  /** Sends arguments that the model still writes: see `parsePartialArguments`. */
  sendPartialInput(args: Readonly<Record<string, unknown>>): void;
  /**
   * Sends the arguments of the tool.
   *
   * @throws `LocalError` `INVALID_STATE` if they were sent before.
   */
  sendInput(args: Readonly<Record<string, unknown>>): void;
  /**
   * Sends the result of the tool.
   *
   * @throws `LocalError` `INVALID_STATE` before `sendInput`, or after a result or a cancellation.
   */
  sendResult(result: CallToolResult): void;
  /**
   * Notifies the view that the call of the tool was cancelled.
   *
   * @throws `LocalError` `INVALID_STATE` after a result or a cancellation.
   */
  sendCancelled(reason?: string): void;
  /** Changes properties of the context, and sends them to the view. */
  updateContext(changes: HostContext): void;
  /** Announces that the server's tools have changed: call it in `onToolsChanged` of the client. */
  toolsChanged(): void;
  /**
   * Returns the tools of the view. The view wrote them: show whose they are, give them names that
   * no server uses, and have the user confirm their calls.
   *
   * @throws `AppError` `CAPABILITY_MISSING` if the view offers no tools; `INVALID_MESSAGE` for a
   *   list that is not valid, or that exceeds `limits.maxTools`.
   */
  listTools(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly Tool[]>;
  /**
   * Calls a tool of the view. The result comes from the view: do not trust it.
   *
   * @throws `AppError` as {@link listTools}; `RpcError` of the view; `LocalError` `TIMEOUT`,
   *   `LIMIT_EXCEEDED` for a result above `limits.maxResultBytes`, or `CONNECTION_CLOSED`.
   */
  callTool(
    params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<CallToolResult>;
  /**
   * Requests the end of the view, waits up to `limits.teardownTimeoutMs` for its response, and
   * closes the connection. Remove the frame afterwards. Idempotent.
   *
   * @param reason - Sent to the view.
   */
  close(reason?: string): Promise<void>;
}
