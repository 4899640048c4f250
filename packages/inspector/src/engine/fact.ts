/** A message that one side sent. */
export interface MessageFact {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly connection: number;
  readonly to: "server" | "client";
  readonly message: unknown;
}

/** A note of the inspector itself, such as the end of a connection. */
export interface NoteFact {
  readonly at: number;
  readonly connection: number;
  readonly to?: "server" | "client" | undefined;
  readonly kind: "problem" | "end" | "http" | "auth";
  /** A sentence or a short title. */
  readonly title: string;
  /** The value that the page shows in full. */
  readonly detail?: unknown;
  readonly outcome?: "ok" | "error" | "login" | undefined;
  readonly ms?: number | undefined;
  /** The ID of the request to the server that the note belongs to, as JSON. */
  readonly of?: string | undefined;
}

/** One message, error or end, before it becomes a line. */
export type Fact = MessageFact | NoteFact;
