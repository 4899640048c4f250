import type { SavedCall } from "./action.ts";
import type { ChatState } from "./chat.ts";
import type { Summary } from "./summary.ts";

/** The login that a server requires, and how far it is. */
export interface LoginState {
  readonly phase: "required" | "running" | "failed";
  /** The scopes that the server names. */
  readonly scopes: readonly string[];
  /** Set if the server has refused a call of a session that is open: the person needs more. */
  readonly isFurther?: true | undefined;
  /** Set if the person was logged in, and has logged out, here or by another program. */
  readonly isLoggedOut?: true | undefined;
  /** The page at which the person logs in. */
  readonly url?: string | undefined;
  /** Why the last login failed. */
  readonly reason?: string | undefined;
}

/** The state of the source. */
export interface SourceState {
  readonly kind: "live" | "tap" | "recording";
  /** The command, the URL or the file, for display. */
  readonly label: string;
  /** The address of a server that is reached over HTTP, if the inspector knows it. */
  readonly url?: string | undefined;
  readonly phase: "connecting" | "open" | "closed" | "failed" | "watching";
  /** Why the connection failed or ended. */
  readonly reason?: string | undefined;
  /** Counted up when a session opens. */
  readonly session?: number | undefined;
  /** Set while the server refuses requests because of who sends them. */
  readonly login?: LoginState | undefined;
  /** Whether the inspector can log the person in. */
  readonly canLogIn?: boolean | undefined;
  /** Whether the inspector can log the person out. */
  readonly canLogOut?: boolean | undefined;
  readonly revision?: string | undefined;
  readonly era?: "legacy" | "modern" | undefined;
  readonly serverInfo?: unknown;
  readonly instructions?: string | undefined;
  readonly serverCapabilities?: Readonly<Record<string, unknown>> | undefined;
}

/** The kinds of input requests. */
export type InputKind = "form" | "url" | "sampling";

/** An input request of the server that waits for the person. */
export interface InputRequest {
  readonly id: string;
  readonly kind: InputKind;
  /** Milliseconds, on the same scale as `at` of the timeline. */
  readonly at: number;
  readonly params: unknown;
  /** The call of the page to which the request belongs, if that is known. */
  readonly call?: string | undefined;
  /** The task to which the request belongs. */
  readonly task?: string | undefined;
}

/** A call that the page has started. */
export interface CallState {
  readonly call: string;
  readonly method: string;
  /** `cancelled`: by the person. */
  readonly phase: "running" | "done" | "failed" | "cancelled";
  /** The line of the last request that was sent for the call. */
  readonly request?: number | undefined;
  /** Why a call failed. */
  readonly error?: string | undefined;
  /** Set if the server has refused a request of the call because of who sent it. */
  readonly needsLogin?: true | undefined;
}

/** A server, a tap or a recording, with everything that belongs to it alone. */
export interface ServerState {
  /** Names the server in actions. */
  readonly id: string;
  readonly source: SourceState;
  readonly inputRequests: readonly InputRequest[];
  /** The newest calls of the page, oldest first. */
  readonly calls: readonly CallState[];
  /** The resources that are watched. */
  readonly watched: readonly string[];
  /** The roots that the server may list. */
  readonly roots: readonly unknown[];
  /** The headers that are added to HTTP requests to the server. */
  readonly headers: Readonly<Record<string, string>>;
  /** The responses that are sent without asking, by kind. */
  readonly always: Readonly<Partial<Record<InputKind, unknown>>>;
  /** The conversation with the model, once it has begun. */
  readonly chat?: ChatState | undefined;
}

/** Everything that the page shows except for the lines of the timeline. */
export interface InspectorState {
  /** At least one: the servers that are open, in the order in which they were opened. */
  readonly servers: readonly ServerState[];
  /** The stored calls. */
  readonly saved: readonly SavedCall[];
  /** Whether the person can open further servers. */
  readonly canOpen: boolean;
  /** The name of the model that the person can chat with, if there is one. */
  readonly model?: string | undefined;
  /** The address of the sandbox proxy of views, if there is one. */
  readonly sandbox?: string | undefined;
  /** How many lines were dropped because a limit was reached. */
  readonly dropped: number;
}

/** One event of the stream that the page reads. */
export type InspectorEvent =
  | { readonly type: "state"; readonly state: InspectorState }
  /** `cleared`: the lines that the page has are no longer kept. */
  | {
      readonly type: "lines";
      readonly lines: readonly Summary[];
      readonly cleared?: true;
    };
