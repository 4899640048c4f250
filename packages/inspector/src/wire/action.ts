import type { InputKind } from "./state.ts";

/** A call that is stored under a name. */
export interface SavedCall {
  readonly name: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The requests that a view may send to its server. */
export const viewMethods = ["tools/call", "resources/list", "resources/read"] as const;

/** One of {@link viewMethods}. */
export type ViewMethod = (typeof viewMethods)[number];

/**
 * The actions of the page. The list is closed: no action names a command. A request also names the
 * server of its action; `open`, `servers`, `clear` and `save` need none.
 */
export type Action =
  /** Sends a request. `call` is chosen by the page. */
  | {
      readonly do: "call";
      readonly call: string;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly timeoutMs?: number | undefined;
    }
  | { readonly do: "cancel"; readonly call: string }
  /** `always`: further input requests of the kind get the same response without asking. */
  | {
      readonly do: "answer";
      readonly question: string;
      readonly answer: Answer;
      readonly always?: boolean | undefined;
    }
  /** Removes the stored response. */
  | { readonly do: "ask"; readonly kind: InputKind }
  | { readonly do: "roots"; readonly roots: readonly { readonly uri: string; readonly name?: string }[] }
  /** Replaces the headers that are added to HTTP requests to the server. */
  | { readonly do: "headers"; readonly headers: Readonly<Record<string, string>> }
  /** Sends a request for a view, and returns its result. */
  | {
      readonly do: "request";
      readonly method: ViewMethod;
      readonly params: Readonly<Record<string, unknown>>;
    }
  /** Loads a view, and returns a `ViewReport`. */
  | { readonly do: "view"; readonly uri: string }
  /** Returns a `SkillList`. */
  | { readonly do: "skills" }
  /** Reads a file of a skill, by default its `SKILL.md`, and returns a `SkillFileReport`. */
  | { readonly do: "skill"; readonly uri: string; readonly path?: string | undefined }
  /** Sends what a browser would send for a page of the origin, and returns a `CorsReport`. */
  | { readonly do: "cors"; readonly origin: string }
  /** Returns a list of `ServerChoice`. */
  | { readonly do: "servers" }
  /** Connects to a further server, of the list or at a URL, and returns an `OpenedServer`. */
  | { readonly do: "open"; readonly to: { readonly id: string } | { readonly url: string } }
  /** Ends the session of a server, and forgets it. */
  | { readonly do: "remove" }
  /** Logs the person in, and connects again. */
  | { readonly do: "login" }
  /** Ends the session, logs the person out, and connects again. */
  | { readonly do: "logout" }
  /** Sends a message to the model. */
  | { readonly do: "say"; readonly text: string }
  /** Decides about a call that the model has asked for. */
  | { readonly do: "approve"; readonly call: string; readonly approval: Approval }
  /** Stops the model, or begins a new conversation. */
  | { readonly do: "stop" | "forget" }
  | { readonly do: "watch" | "unwatch"; readonly uri: string }
  | { readonly do: "connect" | "disconnect" | "clear" | "definitions" }
  | { readonly do: "save"; readonly saved: readonly SavedCall[] };

/** The decision of the person on a call. `always`: also on further calls of the tool. */
export type Approval = "once" | "always" | "refuse";

/**
 * The response of the person: `action`, and `content` for an accepted form, or with the message for
 * an accepted sampling request.
 */
export interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** A server that the person can choose. */
export interface ServerChoice {
  /** Names the server when the page opens it. The page does not show it. */
  readonly id: string;
  readonly name: string;
  /** Its command or its URL, without secrets. */
  readonly label: string;
  /** The file that configures it, and the program that reads the file. */
  readonly origin: string;
}

/** A server that was opened. One that was open before is not opened again. */
export interface OpenedServer {
  /** Its `id` in the state. */
  readonly server: string;
}

/** The definitions of a server, or why a list could not be read. */
export interface Definitions {
  readonly tools: readonly object[];
  readonly prompts: readonly object[];
  readonly resources: readonly object[];
  readonly resourceTemplates: readonly object[];
  /** Sentences about lists that failed. */
  readonly problems: readonly string[];
}
