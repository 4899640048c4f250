import { systemClock, type Clock } from "@tenon/jsonrpc2";
import type { ClientSession } from "@tenon/mcp";
import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@tenon/protocol";

import { ResourceCache } from "../cache/resource-cache.ts";
import { HostError } from "../error.ts";
import { Emitter, type HostEvents, type HostListener, type ListKind } from "../events.ts";
import { NameTable } from "../names/name-table.ts";
import { namePrefix } from "../names/qualified-name.ts";
import { PinBoard, type Pins } from "../policy/pins.ts";
import { perform, type Job } from "../server/perform.ts";
import { createPools } from "../server/pool.ts";
import { traced } from "../server/wire.ts";
import type { ServerSnapshot, Snapshot } from "../snapshot.ts";
import type { ServerSpec } from "../spec.ts";
import { callTool, type HostCallOptions, type HostRequestOptions } from "./call-tool.ts";
import { connectAll, type ConnectAllOptions } from "./connect-all.ts";
import { createMember, type Member, type MemberSetup } from "./member.ts";
import { MergedLists } from "./merged-lists.ts";
import type {
  ConnectReport,
  ManagerOptions,
  NamedPrompt,
  NamedResource,
  NamedResourceTemplate,
  NamedTool,
} from "./options.ts";

/** Many servers as one: connects to them, brings them back, and gives their tools, prompts and resources together. */
export class Manager implements AsyncDisposable {
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #events: Emitter;
  readonly #onError: (error: unknown) => void;
  readonly #members = new Map<string, Member>();
  readonly #names = new NameTable();
  readonly #pins: PinBoard;
  readonly #cache: ResourceCache | undefined;
  readonly #lists: MergedLists;
  readonly #setup: MemberSetup;
  readonly #watchers = new Set<() => void>();
  #snapshot: Snapshot | undefined;
  #closing: Promise<void> | undefined;

  /** Nothing is connected to yet. @throws `HostError` `INVALID_OPTION` for an option that makes no sense. */
  constructor(options: ManagerOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#onError = (error) => options.logger?.warn("A host listener or handler failed", error);
    this.#events = new Emitter(this.#onError);
    this.#pins = new PinBoard(options.pins);
    this.#cache =
      options.cache === false ? undefined : new ResourceCache({ ...options.cache, clock: this.#clock });
    this.#lists = new MergedLists(() => this.#sorted(), this.#names, this.#clock);
    this.#setup = {
      options,
      clock: this.#clock,
      events: this.#events,
      pools: createPools(options.limits ?? {}),
      pins: this.#pins,
      onError: this.#onError,
      onForget: (server) => {
        // S-272: whoever answers next may know nothing of what the one before said.
        this.#cache?.deleteServer(server);
        this.#lists.mark();
      },
      onChanged: (server, lists) => this.#listsChanged(server, lists),
      onUpdated: (server, uri) => this.#cache?.delete(server, uri),
      onState: () => this.#changed(),
    };
    for (const [name, spec] of Object.entries(options.servers ?? {})) {
      this.#add(name, spec);
    }
  }

  /** What was read from servers; `undefined` if nothing is kept. */
  get cache(): ResourceCache | undefined {
    return this.#cache;
  }

  /** The hashes of all tool definitions, to be stored and given to the next manager. */
  get pins(): Pins {
    return this.#pins.pins;
  }

  /** How it stands with every server. The same object until something changes. */
  get snapshot(): Snapshot {
    this.#snapshot ??= new Map<string, ServerSnapshot>(
      this.#sorted().map(({ server }) => [server.name, server.snapshot]),
    );
    return this.#snapshot;
  }

  /** Calls `listener` after every change of {@link snapshot}. @returns Ends it. */
  subscribe(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  }

  /** Listens to one kind of event (S-262). @returns Ends it. */
  on<E extends keyof HostEvents>(event: E, listener: HostListener<E>): () => void {
    return this.#events.on(event, listener);
  }

  /**
   * Connects to all servers that are neither lazy nor disabled, a limited number at a time (S-247). One that fails does not keep the others (S-248).
   *
   * @throws `HostError` `CONNECT_FAILED` if a required server failed, when all are through; `signal.reason`, and attempts go on.
   */
  connectAll(options: ConnectAllOptions = {}): Promise<ConnectReport> {
    return connectAll(
      this.#sorted().map(({ server }) => server),
      this.#clock,
      options,
    );
  }

  /**
   * Connects to one server (S-249), also to one that was given up or closed.
   *
   * @param spec - Of a server that is not configured yet.
   * @throws `HostError` `CONNECT_FAILED`, `SERVER_GONE`, `UNKNOWN_SERVER`; `INVALID_OPTION` if there is such a server already.
   */
  async connect(name: string, spec?: ServerSpec): Promise<ClientSession> {
    if (spec !== undefined) {
      this.#add(name, spec);
    }
    return this.#member(name).server.connect();
  }

  /** Closes one server and ends its attempts to come back (S-250); without a name, everything, for good (S-251). Idempotent. */
  async close(name?: string): Promise<void> {
    if (name !== undefined) {
      await this.#members.get(name)?.server.close();
      return;
    }
    this.#closing ??= Promise.all([...this.#members.values()].map(({ server }) => server.close())).then(
      () => {
        this.#cache?.clear();
        this.#events.clear();
        this.#watchers.clear();
      },
    );
    await this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The session with a server, if it is connected (S-252). */
  get(name: string): ClientSession | undefined {
    return this.#members.get(name)?.server.session;
  }

  /** The names of the servers that are connected, in order (S-252). */
  names(): string[] {
    return this.#sorted().flatMap(({ server }) => (server.session === undefined ? [] : [server.name]));
  }

  /**
   * The tools of all connected servers under their qualified names (S-254), by server and name, without those that are not allowed. Only what has changed is
   * fetched (S-255). Lazy servers that were not used yet are left out.
   */
  tools(): Promise<readonly NamedTool[]> {
    return this.#lists.tools.read();
  }

  /** The prompts of all connected servers, by server and name (S-258). */
  prompts(): Promise<readonly NamedPrompt[]> {
    return this.#lists.prompts.read();
  }

  /** The resources of all connected servers, by server and URI. */
  resources(): Promise<readonly NamedResource[]> {
    return this.#lists.resources.read();
  }

  /** The resource templates of all connected servers, by server and template. */
  resourceTemplates(): Promise<readonly NamedResourceTemplate[]> {
    return this.#lists.resourceTemplates.read();
  }

  /** The qualified name of a tool, whether or not it exists (S-253). The same pair always has the same name. */
  qualifiedToolName(server: string, tool: string): string {
    return this.#names.nameOf(server, tool);
  }

  /**
   * Calls a tool of a server (S-256), connecting if need be.
   *
   * @throws `HostError`: `DENIED` by policy, `TOOL_CHANGED`, `BREAKER_OPEN`, `CONNECTION_LOST`, `TIMEOUT`, `REMOTE_ERROR` …; its `delivered` says whether the tool
   *   may have run. `signal.reason`.
   */
  async callTool(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>> = {},
    options: HostCallOptions = {},
  ): Promise<CallToolResult> {
    return callTool(this.#member(server), this.#pins, this.#clock, { tool, arguments: args, ...options });
  }

  /**
   * Calls a tool by its qualified name, and by nothing else (S-257).
   *
   * @throws `HostError` `UNKNOWN_TOOL` if no server has a tool of that name; otherwise as {@link callTool}.
   */
  async callToolByName(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: HostCallOptions = {},
  ): Promise<CallToolResult> {
    if (name.startsWith(namePrefix) && this.#names.addressOf(name) === undefined) {
      await this.tools();
    }
    const address = this.#names.addressOf(name);
    if (address === undefined || !this.#members.has(address.server)) {
      const message = `No tool is named ${JSON.stringify(name.slice(0, 100))}; names have the form ${namePrefix}<server>__<tool>, as tools() gives them.`;
      throw new HostError("UNKNOWN_TOOL", message, { phase: "call" });
    }
    return this.callTool(address.server, address.tool, args, options);
  }

  /** A prompt of a server, filled in. @throws As {@link callTool}. */
  async getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>> = {},
    { signal }: HostRequestOptions = {},
  ): Promise<GetPromptResult> {
    return this.#fetch(server, signal, (session, trace, options) =>
      session.request("prompts/get", traced({ name, arguments: args }, trace), options),
    );
  }

  /** A resource of a server, from the cache if it is good there (S-259). `signal` ends the fetch alone. @throws As {@link callTool}. */
  async readResource(
    server: string,
    uri: string,
    { signal }: HostRequestOptions = {},
  ): Promise<ReadResourceResult> {
    const principal = this.#options.principal?.();
    const kept = this.#cache?.get(server, uri, { principal });
    if (kept !== undefined) {
      return kept;
    }
    const result = await this.#fetch(server, signal, (session, trace, options) =>
      session.request("resources/read", traced({ uri }, trace), options),
    );
    this.#cache?.set(server, uri, result, { principal });
    return result;
  }

  /** Forgets one resource (S-260). */
  invalidateResource(server: string, uri: string): void {
    this.#cache?.delete(server, uri);
  }

  /** Forgets all resources of a server (S-260). */
  invalidateServer(server: string): void {
    this.#cache?.deleteServer(server);
  }

  /** Pins a tool as it is now, or, without a name, all tools of the server. */
  acceptTools(server: string, tool?: string): void {
    this.#pins.accept(server, tool);
  }

  #fetch<T>(name: string, signal: AbortSignal | undefined, run: Job<T>["run"]): Promise<T> {
    const { server } = this.#member(name);
    return perform(
      server,
      this.#clock,
      {
        phase: "read",
        side: "read",
        timeoutMs: server.rules.timeouts.callMs,
        isRepeatable: () => true,
        run,
      },
      signal,
    );
  }

  #member(name: string): Member {
    const member = this.#members.get(name);
    if (this.#closing !== undefined) {
      throw new HostError("CLOSED", "The manager is closed.", { server: name, phase: "connect" });
    }
    if (member === undefined) {
      const message = `No server is named ${JSON.stringify(name)}; there are: ${[...this.#members.keys()].toSorted().slice(0, 20).join(", ")}.`;
      throw new HostError("UNKNOWN_SERVER", message, { phase: "connect" });
    }
    return member;
  }

  #sorted(): Member[] {
    return [...this.#members.values()].toSorted((a, b) => (a.server.name < b.server.name ? -1 : 1));
  }

  #add(name: string, spec: ServerSpec): void {
    const { maxServers = 1000 } = this.#options.limits ?? {};
    if (this.#closing !== undefined) {
      throw new HostError("CLOSED", "The manager is closed.", { server: name, phase: "config" });
    }
    if (name === "" || this.#members.has(name) || this.#members.size >= maxServers) {
      const message = `A server needs a name of its own, and there may be ${maxServers} (maxServers); got ${JSON.stringify(name)}.`;
      throw new HostError("INVALID_OPTION", message, { server: name, phase: "config" });
    }
    this.#members.set(name, createMember(name, spec, this.#setup));
    this.#changed();
  }

  #changed(): void {
    this.#snapshot = undefined;
    this.#lists.mark();
    for (const watcher of [...this.#watchers]) {
      try {
        watcher();
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  #listsChanged(server: string, lists: readonly ListKind[]): void {
    this.#lists.mark();
    if (lists.includes("tools")) {
      // S-272: a server whose tools changed may be another one altogether.
      this.#cache?.deleteServer(server);
    }
    for (const list of lists) {
      this.#events.emit("list_changed", { server, list });
    }
  }
}
