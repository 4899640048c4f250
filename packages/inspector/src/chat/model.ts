import type { CallToolResult, Tool } from "@tenon/protocol";

/** A call of a tool that a model asks for. */
export interface ModelCall {
  /** The vendor's ID of the call; made up if the vendor sends none. */
  readonly id: string;
  readonly name: string;
  /** Under the names of the server's schema. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A message of a conversation with a model. */
export type ModelMessage =
  | { readonly role: "user"; readonly text: string }
  | ({ readonly role: "assistant" } & ModelResponse)
  | { readonly role: "tool"; readonly call: ModelCall; readonly result: CallToolResult };

/** A request to a model. */
export interface ModelRequest {
  /** Instructions, such as the instructions of the server. */
  readonly system?: string | undefined;
  readonly messages: readonly ModelMessage[];
  /** The tools that the model may ask for. */
  readonly tools: readonly Tool[];
}

/** The response of a model. */
export interface ModelResponse {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /** Tokens that the vendor counted; 0 if it sent none. */
  readonly usage: { readonly input: number; readonly output: number };
  /** The response in the vendor's own form, which the vendor gets back unchanged. */
  readonly own?: unknown;
}

/** A model of any vendor. It may get several requests at a time. */
export interface ChatModel {
  /** For display, such as `anthropic:claude-sonnet-4-5`. */
  readonly name: string;
  /**
   * Sends a conversation and returns the response.
   *
   * @throws `Error` with a message for people, without the key; `signal.reason`.
   */
  respond(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse>;
}
