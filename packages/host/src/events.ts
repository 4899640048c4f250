import type { Tool } from "@tenon/protocol";

import type { HostError } from "./error.ts";
import type { ServerState } from "./snapshot.ts";

/** The events of a manager, by name. */
export interface HostEvents {
  /** A lost server is about to be connected to again. @source S-262 */
  readonly mcp_reconnecting: {
    readonly server: string;
    readonly attempt: number;
    readonly maxRetries: number;
  };
  /** A lost server is back. */
  readonly mcp_reconnected: { readonly server: string; readonly attempt: number };
  /** One attempt failed; more may follow. */
  readonly mcp_reconnect_failed: {
    readonly server: string;
    readonly attempt: number;
    readonly error: unknown;
  };
  /** A disconnected server is not reconnected any more, and its tools are removed. @source S-264 */
  readonly mcp_server_removed: { readonly server: string; readonly reason: string };
  /** A server went from one state to another. */
  readonly state: {
    readonly server: string;
    readonly from: ServerState;
    readonly to: ServerState;
    readonly error?: unknown;
  };
  /** The `snapshot` of the manager has changed. */
  readonly snapshot: undefined;
  /**
   * A server requires other credentials, for the connection (`needs_auth`) or for one request.
   * `login` starts the login of the server's `auth`, which may open a browser, so call it when the
   * user asks for it. It resolves when the server is connected. It is `undefined` if the `auth`
   * cannot log in. A server in the state `needs_auth` is connected to by itself when its `auth`
   * reports new credentials.
   */
  readonly auth_required: {
    readonly server: string;
    readonly error: unknown;
    readonly login: ((options?: { readonly signal?: AbortSignal | undefined }) => Promise<void>) | undefined;
  };
  /** A list of a server is out of date; the next read fetches it. */
  readonly list_changed: { readonly server: string; readonly list: ListKind };
  /**
   * A list of a server could not be fetched: its last known items are used, or none. The server may
   * still be `ready`.
   */
  readonly list_failed: { readonly server: string; readonly list: ListKind; readonly error: unknown };
  /**
   * A list of a server was fetched, and some of its items cannot be used: they have no name, are
   * too long, or repeat a name. Sent once per fetch.
   */
  readonly list_incomplete: {
    readonly server: string;
    readonly list: ListKind;
    /** How many items were left out. */
    readonly dropped: number;
    /** `INVALID_ITEM`; its message describes the first of them. */
    readonly error: HostError;
  };
  /**
   * The definition of a tool changed, or a tool was added or removed. `before` and `after` are
   * hashes; `undefined` if the tool did not or does not exist. Sent once per change.
   */
  readonly tool_changed: {
    readonly server: string;
    readonly tool: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
    /**
     * The current definition of the tool, which is untrusted. Inspect it before you call
     * `acceptTools`.
     */
    readonly definition: Tool | undefined;
  };
}

/** The lists of a server. */
export type ListKind = "tools" | "prompts" | "resources" | "resourceTemplates";

/** Handles one kind of event. */
export type HostListener<E extends keyof HostEvents> = (event: HostEvents[E]) => void;

/**
 * Calls listeners in the order in which they were added. If a listener throws, the others are still
 * called.
 */
export class Emitter {
  readonly #listeners = new Map<keyof HostEvents, Set<(event: never) => void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Adds a listener. @returns Removes it. */
  on<E extends keyof HostEvents>(event: E, listener: HostListener<E>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Calls all listeners. */
  emit<E extends keyof HostEvents>(event: E, detail: HostEvents[E]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        (listener as HostListener<E>)(detail);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Forgets all listeners. */
  clear(): void {
    this.#listeners.clear();
  }
}
