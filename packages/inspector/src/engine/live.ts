import { unlessAborted } from "@tenon/base";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, type ClientSession } from "@tenon/mcp/client";
import type { CreateMessageResult, ElicitResult, Root } from "@tenon/protocol";

import type { LoginState, SourceState } from "../wire/state.ts";
import { observedAuthorization } from "./authorization.ts";
import { declined, type InputRequests } from "./input-requests.ts";
import { reasonFor, requiredScopes } from "./refusal.ts";
import type { LiveSource } from "./source.ts";

/** The parts of the engine that a live source uses. */
export interface LiveOwner {
  readonly observe: (transport: Transport) => Transport;
  readonly fetch: typeof fetch;
  readonly inputRequests: InputRequests;
  readonly onChange: () => void;
  readonly onProblem: (title: string) => void;
  /** Called when a connection has failed, or has ended with an error. */
  readonly onLost: () => void;
  /** The number of a session that opens. */
  readonly nextSession: () => number;
  /** Returns the receiver of the events of one login or logout. */
  readonly loginEvents: () => (event: { readonly type: string }) => void;
}

/** The client of the page, and its session. */
export interface Live {
  readonly state: SourceState;
  readonly session: ClientSession | undefined;
  readonly roots: readonly Root[];
  readonly watched: readonly string[];
  /** Whether a logout runs, which connects at its end. */
  readonly isLoggingOut: boolean;
  connect(): void;
  /** Logs the person in, and connects again. @throws If the source has no login. */
  login(): void;
  /**
   * Ends the session, logs the person out, and connects again. @throws If the source has no
   * logout, or the logout fails.
   */
  logout(): Promise<void>;
  /** Offers a login if an error requires it. */
  note(error: unknown): void;
  disconnect(): Promise<void>;
  /** @throws If a root is invalid. */
  setRoots(roots: readonly Root[]): void;
  watch(uri: string): void;
  unwatch(uri: string): void;
  close(): Promise<void>;
}

/** Creates the client. It connects when told to. */
export function createLive(source: LiveSource, hooks: LiveOwner): Live {
  const { inputRequests } = hooks;
  const client = new Client(
    { name: "tenon-inspector", version: "0.0.0" },
    {
      strictness: "lenient",
      ...source.client,
      elicitation: {
        form: (params, { signal, relatedTo }) =>
          inputRequests.ask("form", params, signal, relatedTo) as Promise<ElicitResult>,
        url: (params, { signal, relatedTo }) =>
          inputRequests.ask("url", params, signal, relatedTo) as Promise<ElicitResult>,
      },
      sampling: {
        tools: true,
        context: true,
        createMessage: async (params, { signal, relatedTo }) => {
          const { action, content } = await inputRequests.ask("sampling", params, signal, relatedTo);
          if (action !== "accept" || content === undefined) {
            throw declined();
          }
          return content as unknown as CreateMessageResult;
        },
      },
      roots: [],
      onLog: () => {},
      // A modern server reports changes of its lists only to clients that handle them. The page
      // sees the notifications on the wire.
      onToolsChanged: () => {},
      onPromptsChanged: () => {},
      onResourcesChanged: () => {},
      onError: (error) => hooks.onProblem(reasonFor(error)),
    },
  );
  let isExtended = false;
  const watched = new Map<string, AbortController>();
  let session: ClientSession | undefined;
  let attempt: AbortController | undefined;
  let ended: Promise<void> = Promise.resolve();
  const base = {
    kind: "live",
    label: source.label,
    canLogIn: source.login !== undefined,
    canLogOut: source.logout !== undefined,
  } as const;
  let state: SourceState = { ...base, phase: "closed" };
  /** The facts about the server. They are kept when its connection has ended. */
  let facts: Partial<SourceState> = {};
  let login: LoginState | undefined;
  let loggingIn: AbortController | undefined;
  let loginEnded: Promise<void> = Promise.resolve();
  const loggingOut = new AbortController();
  let isLoggingOut = false;
  /** Whether the person has logged out, and no session was opened since. */
  let hasLoggedOut = false;
  const authorization = observedAuthorization(hooks.fetch);
  let sessions = 0;

  function set(phase: SourceState["phase"], rest: Partial<SourceState> = {}): void {
    state = { ...base, phase, session: sessions, ...facts, ...rest };
    hooks.onChange();
  }

  function setLogin(changed: LoginState | undefined): void {
    login = changed;
    hooks.onChange();
  }

  function note(error: unknown): void {
    const scopes = requiredScopes(error);
    if (scopes !== undefined && login?.phase !== "running") {
      const isLoggedOut = hasLoggedOut || authorization.hasEnded;
      const isFurther = session !== undefined;
      setLogin({
        phase: "required",
        scopes,
        ...(isLoggedOut ? { isLoggedOut } : isFurther && { isFurther }),
      });
    }
  }

  async function logIn(run: NonNullable<LiveSource["login"]>, signal: AbortSignal): Promise<void> {
    const { scopes = [], isFurther, isLoggedOut } = login ?? {};
    const required = { scopes, ...(isFurther && { isFurther }), ...(isLoggedOut && { isLoggedOut }) };
    const onLoginEvent = hooks.loginEvents();
    setLogin({ ...required, phase: "running" });
    try {
      await run({
        signal,
        fetch: hooks.fetch,
        scopes,
        onEvent(event) {
          onLoginEvent(event);
          const { url } = event as { readonly url?: { readonly href?: unknown } };
          const href = event.type === "visit" ? url?.href : undefined;
          if (typeof href === "string" && /^https?:/.test(href) && !signal.aborted) {
            setLogin({ ...required, phase: "running", url: href });
          }
        },
      });
      signal.throwIfAborted();
      setLogin(undefined);
      await session?.close();
      attempt?.abort(new Error("The person has logged in."));
      // The end of the session is seen first.
      await ended;
      if (!signal.aborted) {
        connect();
      }
    } catch (error) {
      setLogin(
        signal.aborted
          ? { ...required, phase: "required" }
          : { ...required, phase: "failed", reason: reasonFor(error) },
      );
    } finally {
      loggingIn = undefined;
    }
  }

  async function open(signal: AbortSignal): Promise<void> {
    set("connecting");
    try {
      if (!isExtended) {
        isExtended = true;
        const { shownExtensions } = await import("./extensions.lazy.ts");
        client.use(...shownExtensions(source.extensions ?? []));
      }
      const { transport } = source;
      const made = typeof transport === "function" ? transport({ fetch: authorization.fetch }) : transport;
      const opened = await client.connect(hooks.observe(made), { signal });
      session = opened;
      const { revision, era, serverInfo, instructions, serverCapabilities } = opened;
      facts = {
        revision,
        era,
        serverInfo,
        instructions,
        serverCapabilities: serverCapabilities as SourceState["serverCapabilities"],
      };
      sessions = hooks.nextSession();
      login = undefined;
      hasLoggedOut = false;
      set("open");
      const { error } = await opened.closed;
      session = undefined;
      if (error !== undefined) {
        note(error);
        hooks.onLost();
      }
      set("closed", error === undefined ? {} : { reason: reasonFor(error) });
    } catch (error) {
      note(error);
      hooks.onLost();
      set(signal.aborted ? "closed" : "failed", signal.aborted ? {} : { reason: reasonFor(error) });
    } finally {
      attempt = undefined;
    }
  }

  /** Removes a resource, unless it is watched again. */
  function forget(uri: string, signal: AbortSignal): void {
    if (watched.get(uri)?.signal === signal) {
      watched.delete(uri);
      hooks.onChange();
    }
  }

  async function follow(uri: string, signal: AbortSignal): Promise<void> {
    try {
      const watch = session?.watch(uri, { signal });
      for await (const update of watch ?? []) {
        // The notification itself is a line of the timeline.
        void update;
      }
    } catch (error) {
      if (!signal.aborted) {
        hooks.onProblem(`${uri} is no longer watched: ${reasonFor(error)}`);
      }
    } finally {
      forget(uri, signal);
    }
  }

  function connect(): void {
    // A session during a logout would use the old tokens. The logout connects at its end.
    if (attempt === undefined && !isLoggingOut) {
      attempt = new AbortController();
      ended = open(attempt.signal);
    }
  }

  async function disconnect(reason: string): Promise<void> {
    loggingIn?.abort(new Error(reason));
    attempt?.abort(new Error(reason));
    await session?.close();
    await ended;
  }

  return {
    get state() {
      return login === undefined ? state : { ...state, login };
    },
    get session() {
      return session;
    },
    get roots() {
      return client.roots;
    },
    get watched() {
      return [...watched.keys()];
    },
    get isLoggingOut() {
      return isLoggingOut;
    },
    connect,
    note,
    login() {
      if (source.login === undefined) {
        throw new TypeError("The inspector has no login for this server. Start it with credentials.");
      }
      if (isLoggingOut) {
        throw new TypeError("Cannot log in during a logout. Log in after its end.");
      }
      if (loggingIn === undefined) {
        loggingIn = new AbortController();
        loginEnded = logIn(source.login, loggingIn.signal);
      }
    },
    async logout() {
      if (source.logout === undefined) {
        throw new TypeError("This source has no logout.");
      }
      const { signal } = loggingOut;
      if (isLoggingOut) {
        return;
      }
      isLoggingOut = true;
      try {
        await disconnect("The person logs out.");
        // A login that is ended may still store its tokens.
        await unlessAborted(loginEnded, signal);
        await source.logout({ signal, fetch: hooks.fetch, onEvent: hooks.loginEvents() });
        hasLoggedOut = true;
      } finally {
        isLoggingOut = false;
      }
      if (!signal.aborted) {
        connect();
      }
    },
    disconnect: () => disconnect("The person disconnected."),
    setRoots(roots) {
      client.setRoots(roots);
      hooks.onChange();
    },
    watch(uri) {
      if (!watched.has(uri)) {
        const control = new AbortController();
        watched.set(uri, control);
        void follow(uri, control.signal);
        hooks.onChange();
      }
    },
    unwatch(uri) {
      const control = watched.get(uri);
      if (control !== undefined) {
        control.abort(new Error("The person stopped watching."));
        forget(uri, control.signal);
      }
    },
    async close() {
      const reason = new Error("The inspector was closed.");
      loggingIn?.abort(reason);
      loggingOut.abort(reason);
      attempt?.abort(reason);
      await client.close();
    },
  };
}
