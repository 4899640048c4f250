import { reasonOf } from "@tenon/base";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, type ClientSession } from "@tenon/mcp/client";
import type { CreateMessageResult, ElicitResult, Root } from "@tenon/protocol";

import type { SourceState } from "../wire/state.ts";
import { declined, type InputRequests } from "./input-requests.ts";
import type { LiveSource } from "./source.ts";

/** The parts of the engine that a live source uses. */
export interface LiveHooks {
  readonly observe: (transport: Transport) => Transport;
  readonly fetch: typeof fetch;
  readonly inputRequests: InputRequests;
  readonly onChange: () => void;
  readonly onProblem: (title: string) => void;
}

/** The client of the page, and its session. */
export interface Live {
  readonly state: SourceState;
  readonly session: ClientSession | undefined;
  readonly roots: readonly Root[];
  readonly watched: readonly string[];
  connect(): void;
  disconnect(): Promise<void>;
  /** @throws If a root is invalid. */
  setRoots(roots: readonly Root[]): void;
  watch(uri: string): void;
  unwatch(uri: string): void;
  close(): Promise<void>;
}

/** Creates the client. It connects when told to. */
export function createLive(source: LiveSource, hooks: LiveHooks): Live {
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
      onError: (error) => hooks.onProblem(reasonOf(error)),
    },
  );
  let isExtended = false;
  const watched = new Map<string, AbortController>();
  let session: ClientSession | undefined;
  let attempt: AbortController | undefined;
  let state: SourceState = { kind: "live", label: source.label, phase: "closed" };

  function set(phase: SourceState["phase"], rest: Partial<SourceState> = {}): void {
    state = { kind: "live", label: source.label, phase, ...rest };
    hooks.onChange();
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
      const made = typeof transport === "function" ? transport({ fetch: hooks.fetch }) : transport;
      const opened = await client.connect(hooks.observe(made), { signal });
      session = opened;
      const { revision, era, serverInfo, instructions, serverCapabilities } = opened;
      const facts = { revision, era, serverInfo, instructions, serverCapabilities };
      set("open", facts as Partial<SourceState>);
      const { error } = await opened.closed;
      session = undefined;
      set("closed", error === undefined ? {} : { reason: reasonOf(error) });
    } catch (error) {
      set(signal.aborted ? "closed" : "failed", { reason: reasonOf(error) });
    } finally {
      attempt = undefined;
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
        hooks.onProblem(`${uri} is no longer watched: ${reasonOf(error)}`);
      }
    } finally {
      watched.delete(uri);
      hooks.onChange();
    }
  }

  return {
    get state() {
      return state;
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
    connect() {
      if (attempt === undefined) {
        attempt = new AbortController();
        void open(attempt.signal);
      }
    },
    async disconnect() {
      attempt?.abort(new Error("The person disconnected."));
      await session?.close();
    },
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
      watched.get(uri)?.abort(new Error("The person stopped watching."));
    },
    async close() {
      attempt?.abort(new Error("The inspector was closed."));
      await client.close();
    },
  };
}
