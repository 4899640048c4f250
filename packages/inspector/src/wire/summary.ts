import type { Era } from "@tenon/protocol";

/** The kinds of lines in the timeline. */
export type SummaryKind =
  | "request"
  | "response"
  | "notification"
  /** Something went wrong outside of a message: malformed input, a failed write, a warning. */
  | "problem"
  /** The end of a connection. */
  | "end"
  /** An HTTP exchange of a transport or of a login. */
  | "http"
  /** An event of a login. */
  | "auth";

/** The outcome of a request. */
export type Outcome =
  | "ok"
  /** An error response. */
  | "error"
  /** A tool that failed: `isError`. */
  | "failed"
  /** The server needs input first. */
  | "input"
  /** The server asks for credentials. That is the usual begin of a login. */
  | "login";

/** The progress that a notification reports. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  /** At most 200 characters. */
  readonly message?: string | undefined;
}

/** The task that a line belongs to. */
export interface TaskMark {
  readonly id: string;
  /** Absent where the message does not have it. */
  readonly status?: string | undefined;
}

/** One line of the timeline. Its whole text is loaded when it is shown. */
export interface Summary {
  /** Counted from 1 over all lines, so that dropped lines leave gaps. */
  readonly seq: number;
  /** Milliseconds since the start of the recording or of the inspector. */
  readonly at: number;
  /** The connection, counted from 0 over all servers. */
  readonly connection: number;
  /** The server that the line belongs to. A tap and a recording have none. */
  readonly server?: string | undefined;
  /** Absent for lines that no side sent. */
  readonly to?: "server" | "client" | undefined;
  readonly kind: SummaryKind;
  /** The method of a request or notification; for a response, the method of its request. */
  readonly method?: string | undefined;
  /** The request ID as JSON. */
  readonly id?: string | undefined;
  /** The name of a tool or prompt, a URI, or the ID of a task. */
  readonly subject?: string | undefined;
  readonly era?: Era | undefined;
  /** The line of the request that a response, its progress or its stream belongs to. */
  readonly request?: number | undefined;
  /** The earlier request that this request continues with the input that the server needed. */
  readonly continues?: number | undefined;
  /** The round of such a request, from 2. */
  readonly round?: number | undefined;
  /** The requests without a response that get none after this line. */
  readonly ends?: readonly number[] | undefined;
  /** Milliseconds from the request to this response. */
  readonly ms?: number | undefined;
  /**
   * For a response: milliseconds from the request to the head of the HTTP response, or to the first
   * message.
   */
  readonly firstByte?: number | undefined;
  /** For a response to the inspector: milliseconds that the request waited before it was sent. */
  readonly queued?: number | undefined;
  readonly outcome?: Outcome | undefined;
  readonly progress?: Progress | undefined;
  readonly task?: TaskMark | undefined;
  /** The start of the parameters, of the result or of the error, at most 160 characters. */
  readonly preview: string;
  /** The size of the message in UTF-8. */
  readonly bytes: number;
  /** True if the message was too long to be kept whole. */
  readonly cut?: true | undefined;
  /** The lane of the request that the line belongs to, from 0. */
  readonly lane?: number | undefined;
  /** The lanes of the requests that are open at this line, as bits. */
  readonly lanes: number;
}
