import type { ClientExtension, ClientSession } from "@tenon/mcp";
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
  ResourceUpdatedNotificationParams,
} from "@tenon/protocol";

import type { ResourceCache } from "../cache/resource-cache.ts";
import { ResourceReader } from "../cache/resource-reader.ts";
import { costOf, type ToolCosts } from "../cost.ts";
import { Emitter, type HostEvents, type HostListener, type ListKind } from "../events.ts";
import { NameTable } from "../names/name-table.ts";
import { PinBoard, type Pins } from "../policy/pins.ts";
import type { ServerSnapshot, Snapshot } from "../snapshot.ts";
import type { ServerSpec } from "../spec.ts";
import { callTool, type HostCallOptions, type HostRequestOptions } from "./call-tool.ts";
import { connectAll, type ConnectAllOptions } from "./connect-all.ts";
import { getPrompt } from "./get-prompt.ts";
import { createMember, type MemberSetup } from "./member.ts";
import { Members } from "./members.ts";
import { MergedLists } from "./merged-lists.ts";
import type {
  ConnectReport,
  ManagerOptions,
  NamedPrompt,
  NamedResource,
  NamedResourceTemplate,
  NamedTool,
} from "./options.ts";
import { settingsOf } from "./settings.ts";
import { toolAddress } from "./tool-address.ts";

/**
 * Connects to many servers, reconnects them, and merges their tools, prompts and resources.
 * Statements of servers about themselves are not trusted; a {@link Policy} sets their permissions.
 *
 * @example
 * const config = await loadConfig("mcp.json");
 * await using manager = new Manager({ ...selectServers(config), transports: nodeTransports() });
 * await manager.connectAll();
 * for (const { name, tool } of await manager.tools()) console.log(name, tool.description);
 */
export class Manager implements AsyncDisposable {
  readonly #events: Emitter;
  readonly #members: Members;
  readonly #names: NameTable;
  readonly #pins: PinBoard;
  readonly #resources: ResourceReader;
  readonly #lists: MergedLists;
  readonly #setup: MemberSetup;
  #snapshot: Snapshot | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Nothing is connected to yet.
   *
   * @throws `HostError` `INVALID_OPTION` for an option that makes no sense.
   */
  constructor(options: ManagerOptions = {}) {
    const settings = settingsOf(options);
    const { clock, limits, onError } = settings;
    this.#events = new Emitter(onError);
    this.#members = new Members(limits.maxServers);
    // Room for the longest list of a server and its predecessor: models may still use old names.
    this.#names = new NameTable({ maxNames: 2 * limits.maxItems });
    this.#pins = new PinBoard(options.pins);
    this.#resources = new ResourceReader(settings.cache, clock, options.principal);
    this.#lists = new MergedLists(() => this.#members.sorted, this.#names, this.#pins, clock);
    this.#setup = {
      ...settings,
      events: this.#events,
      pins: this.#pins,
      extensions: this.#members.extensions,
      onForget: (server) => {
        // S-272: the next session may not know the state of the previous session.
        this.#resources.forget(server);
        this.#lists.mark();
      },
      onChanged: (server, lists) => this.#listsChanged(server, lists),
      onUpdated: (server, uri) => this.#resources.forget(server, uri),
      onState: () => this.#changed(),
    };
    for (const [name, spec] of Object.entries(options.servers ?? {})) {
      this.#add(name, spec);
    }
  }

  /** The resources that were read from servers; `undefined` if caching is disabled. */
  get cache(): ResourceCache | undefined {
    return this.#resources.cache;
  }

  /** The hashes of all tool definitions, to be stored and given to the next manager. */
  get pins(): Pins {
    return this.#pins.pins;
  }

  /** The state of every server. The same object until something changes. */
  get snapshot(): Snapshot {
    this.#snapshot ??= new Map<string, ServerSnapshot>(
      this.#members.sorted.map(({ server }) => [server.name, server.snapshot]),
    );
    return this.#snapshot;
  }

  /**
   * Adds extensions to the clients of all servers, from their next connection on.
   *
   * @throws `McpError` `INVALID_DEFINITION` for an extension that was added before.
   */
  use(...extensions: readonly ClientExtension[]): void {
    this.#members.use(extensions);
  }

  /** Calls `listener` after every change of {@link snapshot}. @returns Ends it. */
  subscribe(listener: () => void): () => void {
    return this.#events.on("snapshot", () => listener());
  }

  /** Listens to one kind of event. @returns Ends it. @source S-262 */
  on<E extends keyof HostEvents>(event: E, listener: HostListener<E>): () => void {
    return this.#events.on(event, listener);
  }

  /**
   * Connects to all servers that are neither lazy nor disabled, a limited number at a time. A
   * failure does not affect the other servers.
   *
   * @throws `HostError` `CONNECT_FAILED` if a required server failed, after all attempts; `CLOSED`
   *   after {@link close}; `signal.reason`, while attempts continue.
   * @source S-247, S-248
   */
  async connectAll(options: ConnectAllOptions = {}): Promise<ConnectReport> {
    this.#members.checkOpen();
    return connectAll(
      this.#members.sorted.map(({ server }) => server),
      this.#setup.clock,
      options,
    );
  }

  /**
   * Connects to one server, even if it has failed or was closed.
   *
   * @param spec - Of a server that is not configured yet.
   * @throws `HostError` `CONNECT_FAILED`, `SERVER_GONE`, `UNKNOWN_SERVER`; `INVALID_OPTION` if a
   *   server of that name already exists.
   * @source S-249
   */
  async connect(name: string, spec?: ServerSpec): Promise<ClientSession> {
    if (spec !== undefined) {
      this.#add(name, spec);
    }
    return this.#members.get(name).server.connect();
  }

  /**
   * Closes one server and stops reconnecting it; without a name, closes the whole manager
   * permanently. Idempotent.
   *
   * @source S-250, S-251
   */
  async close(name?: string): Promise<void> {
    if (name !== undefined) {
      await this.#members.find(name)?.server.close();
      return;
    }
    this.#closing ??= this.#closeAll();
    await this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The session with a server, if it is connected. @source S-252 */
  get(name: string): ClientSession | undefined {
    return this.#members.find(name)?.server.session;
  }

  /** The names of the servers that are connected, in order. @source S-252 */
  names(): string[] {
    return this.#members.sorted.flatMap(({ server }) => (server.session === undefined ? [] : [server.name]));
  }

  /**
   * The tools of all connected servers under their qualified names, by server and name, without
   * those that are not allowed or have drifted. Only what has changed is fetched. Lazy servers that
   * were not used yet are left out. Never rejects: a server whose list cannot be fetched is left
   * out (`list_failed`).
   *
   * @source S-254, S-255
   */
  tools(): Promise<readonly NamedTool[]> {
    return this.#lists.tools.read();
  }

  /** The size of the definitions of {@link tools} in the context of a model. Never rejects. */
  async cost(): Promise<ToolCosts> {
    return costOf(await this.tools());
  }

  /** The prompts of all connected servers, by server and name. @source S-258 */
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

  /**
   * The qualified name of a tool, whether or not it exists. The same pair always has the same name.
   *
   * @source S-253
   */
  qualifiedToolName(server: string, tool: string): string {
    return this.#names.nameOf(server, tool);
  }

  /**
   * Calls a tool of a server, connecting if need be.
   *
   * @throws `HostError`: `DENIED` by policy, `TOOL_CHANGED`, `BREAKER_OPEN`, `CONNECTION_LOST`,
   *   `TIMEOUT`, `REMOTE_ERROR` …; its `delivered` shows whether the tool may have run.
   *   `signal.reason`.
   * @source S-256
   */
  async callTool(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>> = {},
    options: HostCallOptions = {},
  ): Promise<CallToolResult> {
    return callTool(this.#members.get(server), this.#pins, this.#setup.clock, {
      tool,
      arguments: args,
      ...options,
    });
  }

  /**
   * Calls a tool by its qualified name; no other name is accepted. If its server disconnected
   * before it had listed its tools, the call waits until the server has reconnected.
   *
   * @throws `HostError` `UNKNOWN_TOOL` if no server has a tool of that name; otherwise as
   *   {@link callTool}.
   * @source S-257
   */
  async callToolByName(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: HostCallOptions = {},
  ): Promise<CallToolResult> {
    const { server, tool } = await toolAddress(
      name,
      this.#names,
      this.#members,
      () => this.tools(),
      options.signal,
    );
    return this.callTool(server, tool, args, options);
  }

  /** A prompt of a server, filled in. @throws As {@link callTool}. */
  async getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>> = {},
    { signal }: HostRequestOptions = {},
  ): Promise<GetPromptResult> {
    return getPrompt(this.#members.get(server).server, this.#setup.clock, { name, arguments: args, signal });
  }

  /**
   * A resource of a server, from the cache if it is good there. Simultaneous reads share one
   * request. `signal` ends the wait of this caller alone.
   *
   * @throws As {@link callTool}.
   * @source S-259
   */
  async readResource(
    server: string,
    uri: string,
    { signal }: HostRequestOptions = {},
  ): Promise<ReadResourceResult> {
    return this.#resources.read(this.#members.get(server).server, uri, signal);
  }

  /**
   * Yields the updates of a resource of a server:
   * `for await (const { uri } of manager.watchResource("notes", "notes://1"))`. The first step of
   * the iteration subscribes. The manager subscribes again when the server has reconnected or its
   * session has expired, and then yields one update, because updates may have been missed. Ends
   * when the server is closed.
   *
   * @throws `HostError` `SERVER_GONE` if the server is not reconnected any more, `LIMIT_EXCEEDED`
   *   above `maxWatches`; the errors of jsonrpc2 and mcp if the server does not support or rejects
   *   the subscription; `signal.reason`.
   * @source S-165
   */
  watchResource(
    server: string,
    uri: string,
    { signal }: HostRequestOptions = {},
  ): AsyncGenerator<ResourceUpdatedNotificationParams, void, undefined> {
    return this.#members.get(server).watched.watch(uri, signal);
  }

  /** Forgets one resource. @source S-260 */
  invalidateResource(server: string, uri: string): void {
    this.#resources.forget(server, uri);
  }

  /** Forgets all resources of a server. @source S-260 */
  invalidateServer(server: string): void {
    this.#resources.forget(server);
  }

  /**
   * Pins a tool as it was listed last, or, without a name, all tools of the server: they are listed
   * and may be called again.
   */
  acceptTools(server: string, tool?: string): void {
    this.#pins.accept(server, tool);
    this.#lists.tools.mark();
  }

  #add(name: string, spec: ServerSpec): void {
    this.#members.add(name, () => createMember(name, spec, this.#setup));
    this.#changed();
  }

  async #closeAll(): Promise<void> {
    this.#members.close();
    await Promise.all(this.#members.sorted.map(({ server }) => server.close()));
    this.#resources.cache?.clear();
    this.#events.clear();
  }

  #changed(): void {
    this.#snapshot = undefined;
    this.#lists.mark();
    this.#events.emit("snapshot", undefined);
  }

  #listsChanged(server: string, lists: readonly ListKind[]): void {
    this.#lists.mark();
    if (lists.includes("tools")) {
      // S-272: a server whose tools changed may be a different server.
      this.#resources.forget(server);
    }
    for (const list of lists) {
      this.#events.emit("list_changed", { server, list });
    }
  }
}
