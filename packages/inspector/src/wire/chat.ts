/** A call of a tool that the model has asked for. */
export interface ChatCall {
  /** Names the call here and, once it runs, among the calls of the page. */
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `asking`: the call waits for the person. `ended`: it has a result or an error. */
  readonly phase: "asking" | "running" | "ended" | "refused";
}

/** A message of the chat, without the results of calls: the calls of the page have them. */
export type ChatMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ChatCall[] };

/** A conversation of the person with a model that may call the tools of a server. */
export interface ChatState {
  /** The name of the model. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** Whether the model or a call works. */
  readonly isBusy: boolean;
  /** Why the last response did not come. */
  readonly reason?: string | undefined;
  /** Tokens so far, as the vendor counted them. */
  readonly usage: { readonly input: number; readonly output: number };
}
