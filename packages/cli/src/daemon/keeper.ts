import { once } from "node:events";
import type { Socket } from "node:net";

import { anySignal } from "@tenon/base";
import { connectedSource, proxyServer } from "@tenon/compose";
import { CallRelay, type RemoteSpec, type StdioSpec } from "@tenon/host";
import type { Server } from "@tenon/mcp/server";

import { haveOneLogin, usesLogin } from "../auth/uses-login.ts";
import { createFlags } from "../command/flags.ts";
import type { Invocation } from "../command/invocation.ts";
import { messageOf } from "../output/escape.ts";
import { connectTarget, isRelated } from "../serve/connect-target.ts";
import type { Shell } from "../shell.ts";
import type { Target } from "../target/target.ts";

/** A connection to keep. */
export interface KeepRequest {
  readonly name: string;
  readonly label: string;
  readonly spec: StdioSpec | RemoteSpec;
  /** How long it is kept without a user, in milliseconds. */
  readonly ttlMs: number;
  readonly revision?: string | undefined;
  readonly profile?: string | undefined;
  /** The environment variables of the command that name proxies. */
  readonly proxies?: Shell["env"] | undefined;
}

/** The login for the server of a connection. */
export interface Login {
  /** Absent for a program. */
  readonly url?: string | undefined;
  readonly profile: string;
  /** The proxy that leads to the server. `false` allows none. */
  readonly proxy?: string | false | undefined;
}

/** A connection that is being opened. */
interface Opening extends Pick<Kept, "login" | "usesLogin"> {
  /** Aborts when the user logs out. */
  readonly control: AbortController;
  /** Resolves when the connection is kept, or has failed. */
  readonly done: Promise<unknown>;
}

interface Kept {
  readonly label: string;
  readonly login: Login;
  /** Whether requests carry the tokens of the login. */
  readonly usesLogin: boolean;
  readonly revision: string;
  readonly server: Server;
  readonly ttlMs: number;
  users: number;
  timer: NodeJS.Timeout | undefined;
  end(): Promise<void>;
}

/** Maximum number of kept connections. */
const maxKept = 64;
/** How long the process waits for its first connection, in milliseconds. */
const graceMs = 20_000;

/** The kept connections of one user. */
export class Keeper {
  readonly #invocation: Invocation;
  readonly #kept = new Map<string, Kept>();
  readonly #opening = new Map<string, Opening>();
  #isEnding = false;
  #onIdle: () => void = () => {};
  #grace: NodeJS.Timeout | undefined;
  /** Resolves when no connection is left. */
  readonly idle: Promise<void>;

  constructor(invocation: Invocation) {
    this.#invocation = invocation;
    this.idle = new Promise((resolve) => {
      this.#onIdle = () => {
        this.#isEnding = true;
        resolve();
      };
    });
    this.#waitForUse();
  }

  /** Whether no further connection is kept, because the process is about to end. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** The kept connections, by name. */
  list(): readonly object[] {
    return [...this.#kept].map(([name, { label, revision, users }]) => ({ name, label, revision, users }));
  }

  /** The login of a connection. It is not part of the list, because a URL may hold a token. */
  loginOf(name: string): Login {
    return this.#find(name).login;
  }

  /** Ends the connections that use a login, opened or not. @returns Their names. */
  async endLogin({ url = "", profile }: Login): Promise<readonly string[]> {
    const isMeant = ([, { login, usesLogin }]: readonly [
      string,
      Pick<Kept, "login" | "usesLogin">,
    ]): boolean => usesLogin && haveOneLogin(login.url ?? "", url) && login.profile === profile;
    const opening = [...this.#opening].filter(isMeant);
    const names = [...this.#kept].filter(isMeant).map(([name]) => name);
    opening.forEach(([name, { control }]) =>
      control.abort(new Error(`@${name} is not connected: its user has logged out.`)),
    );
    await Promise.all([...names.map((name) => this.end(name)), ...opening.map(([, { done }]) => done)]);
    return [...new Set([...names, ...opening.map(([name]) => name)])];
  }

  /** Opens a connection and keeps it. @throws If the name is taken, or the connection fails. */
  async open(request: KeepRequest): Promise<object> {
    const { name } = request;
    if (this.#isEnding) {
      throw new Error("Cannot open a connection: the process that keeps connections is ending.");
    }
    if (this.#kept.has(name) || this.#opening.has(name)) {
      throw new Error(`@${name} is connected already.`);
    }
    if (this.#kept.size + this.#opening.size >= maxKept) {
      throw new Error(`At most ${maxKept} connections are kept.`);
    }
    const { spec, profile = "default" } = request;
    const kept = {
      login: spec.type === "stdio" ? { profile } : { url: spec.url, profile, proxy: spec.proxy },
      usesLogin: usesLogin(spec),
    };
    const control = new AbortController();
    const opened = this.#open(request, kept, control.signal);
    // Reserved before anything is awaited: two requests must not open one name.
    this.#opening.set(name, { ...kept, control, done: opened.catch(() => {}) });
    clearTimeout(this.#grace);
    try {
      return await opened;
    } finally {
      this.#opening.delete(name);
      this.#waitForUse();
    }
  }

  async #open(
    { name, label, spec, ttlMs, revision, profile, proxies }: KeepRequest,
    login: Pick<Kept, "login" | "usesLogin">,
    signal: AbortSignal,
  ): Promise<object> {
    const flags = createFlags({ revision, profile });
    const target: Target = { kind: "server", label, spec };
    const relay = new CallRelay();
    const onError = (error: unknown): void => this.#invocation.printer.warn(messageOf(error));
    const source = connectedSource({
      relay,
      onError,
      connect: connectTarget(
        { ...this.#invocation, flags, proxies, signal: anySignal([this.#invocation.signal, signal]) },
        target,
      ),
      related: isRelated(target),
      // Commands keep a connection for the state that the server has in it.
      isolation: "everybody",
    });
    const end = async (): Promise<void> => {
      await relay.close();
      await source[Symbol.asyncDispose]();
    };
    const session = await source.start();
    if (this.#isEnding || signal.aborted) {
      await end();
      signal.throwIfAborted();
      throw new Error("Cannot open a connection: the process that keeps connections is ending.");
    }
    const kept: Kept = {
      label,
      ...login,
      revision: session.revision,
      server: proxyServer(source, {
        relay,
        onError,
      }),
      ttlMs,
      users: 0,
      timer: undefined,
      end,
    };
    this.#kept.set(name, kept);
    void session.closed.then(() => this.#forget(name, kept));
    this.#expire(name, kept);
    return { name, label, revision: kept.revision, serverInfo: session.serverInfo };
  }

  /** The server to serve a user of a connection with. The connection is kept while it is used. */
  attach(name: string, socket: Socket): Server {
    const kept = this.#find(name);
    kept.users++;
    clearTimeout(kept.timer);
    void once(socket, "close").then(() => {
      kept.users--;
      this.#expire(name, kept);
    });
    return kept.server;
  }

  /** Ends a connection. */
  async end(name: string): Promise<void> {
    const kept = this.#find(name);
    this.#forget(name, kept);
    await kept.end();
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#grace);
    await Promise.allSettled([...this.#kept.keys()].map((name) => this.end(name)));
  }

  #find(name: string): Kept {
    const kept = this.#kept.get(name);
    if (kept === undefined) {
      throw new Error(`No connection is kept as @${name}.`);
    }
    return kept;
  }

  #expire(name: string, kept: Kept): void {
    if (kept.users === 0 && this.#kept.get(name) === kept) {
      clearTimeout(kept.timer);
      kept.timer = setTimeout(() => void this.end(name).catch(() => {}), kept.ttlMs);
    }
  }

  #forget(name: string, kept: Kept): void {
    if (this.#kept.get(name) === kept) {
      this.#kept.delete(name);
      clearTimeout(kept.timer);
      this.#endIfIdle();
    }
  }

  #endIfIdle(): void {
    if (this.#kept.size === 0 && this.#opening.size === 0) {
      this.#onIdle();
    }
  }

  #waitForUse(): void {
    clearTimeout(this.#grace);
    this.#grace = setTimeout(() => this.#endIfIdle(), graceMs);
  }
}
