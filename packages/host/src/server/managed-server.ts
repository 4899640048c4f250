import { backoff, reasonOf, sleep, unlessAborted, type ResolvedLimits } from "@tenon/base";
import { connectionClosed, type Authorization } from "@tenon/jsonrpc2/core";
import type { ClientSession } from "@tenon/mcp";

import { HostError } from "../error.ts";
import type { Emitter, HostEvents } from "../events.ts";
import type { Rules } from "../policy/policy.ts";
import type { ServerSnapshot, ServerState } from "../snapshot.ts";
import type { ServerSpec } from "../spec.ts";
import { Breaker, type BreakerOptions } from "./breaker.ts";
import { CrashBudget, type Reconnect } from "./crash-budget.ts";
import { Dialer, type DialSetup } from "./dialer.ts";
import { Gate } from "./gate.ts";
import { Throttle } from "./throttle.ts";
import { wantsAuth } from "./wire.ts";

/** The dependencies of a server on its manager. */
export interface ServerSetup extends DialSetup {
  readonly reconnect: Reconnect;
  readonly breaker: ResolvedLimits<BreakerOptions>;
  readonly random: () => number;
  readonly events: Emitter;
  /** Called when the session has ended: cached data of the server may be stale. */
  onLost(): void;
  /** Called when the snapshot has changed. */
  onChange(): void;
  /** Called when the server has failed permanently. */
  onRemoved(reason: string): void;
}

/**
 * One configured server through all its connections: connects, notices its loss, comes back, gives
 * up.
 */
export class ManagedServer {
  readonly name: string;
  readonly spec: ServerSpec;
  readonly rules: Rules;
  /** Limits the calls in flight. */
  readonly gate: Gate;
  /** Limits the rate of requests. */
  readonly throttle: Throttle;
  /**
   * Failures of calls that may change something, and of those that only read, are counted apart.
   */
  readonly breakers: Readonly<Record<"write" | "read", Breaker>>;
  readonly #setup: ServerSetup;
  readonly #crashes: CrashBudget;
  readonly #dialer: Dialer;
  #state: ServerState;
  #error: unknown;
  #session: ClientSession | undefined;
  #opening: Promise<ClientSession> | undefined;
  #stop = new AbortController();
  /** Stops waiting for new credentials. */
  #forgetLogin: (() => void) | undefined;

  constructor(setup: ServerSetup) {
    this.#setup = setup;
    this.name = setup.name;
    this.spec = setup.spec;
    this.rules = setup.rules;
    this.gate = new Gate(setup.rules.limits.maxInFlight, setup.rules.limits.maxWaiting);
    this.throttle = new Throttle(setup.rules.rateLimit, setup.rules.limits.maxWaiting, setup.clock);
    this.#dialer = new Dialer(setup);
    this.breakers = {
      write: new Breaker(setup.breaker, setup.clock),
      read: new Breaker(setup.breaker, setup.clock),
    };
    this.#crashes = new CrashBudget(setup.reconnect);
    this.#state = setup.spec.disabled === true ? "disabled" : "idle";
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The session of this moment. */
  get session(): ClientSession | undefined {
    return this.#session;
  }

  get snapshot(): ServerSnapshot {
    const error = this.#error;
    const session = this.#session;
    return {
      name: this.name,
      state: this.#state,
      ...(error === undefined ? {} : { error: reasonOf(error) }),
      ...(session === undefined ? {} : factsOf(session)),
    };
  }

  /** The credentials with which the server was last connected to. */
  get authorization(): Authorization | undefined {
    return this.#dialer.authorization;
  }

  /** Why the server is not ready, as an error. */
  get failure(): unknown {
    return this.#error;
  }

  /**
   * Connects, unless the server is connected or connecting. A failed server starts again.
   *
   * @throws `HostError` `CONNECT_FAILED` or `SERVER_GONE`.
   */
  connect(): Promise<ClientSession> {
    if (this.#session !== undefined) {
      return Promise.resolve(this.#session);
    }
    if (this.#state === "disabled") {
      return Promise.reject(this.#gone("is disabled"));
    }
    if (this.#state === "reconnecting") {
      // A person does not wait for the back-off: the loop is replaced by an attempt.
      this.#stop.abort(this.#gone("is being reconnected"));
      this.#opening = undefined;
    }
    if (this.#opening === undefined) {
      this.#stop = new AbortController();
      this.#crashes.reset();
      this.#track(this.#openFirst(this.#stop.signal));
    }
    return this.#opening ?? Promise.reject(this.#gone("is closed"));
  }

  /**
   * The session, waited for if it is being opened; opened if it never was.
   *
   * @throws `HostError`; `signal.reason`.
   */
  ready(signal: AbortSignal | undefined): Promise<ClientSession> {
    if (this.#session !== undefined) {
      return Promise.resolve(this.#session);
    }
    switch (this.#state) {
      case "idle":
        return unlessAborted(this.connect(), signal);
      case "connecting":
      case "reconnecting":
        return unlessAborted(this.#opened(), signal);
      default:
        return Promise.reject(this.#gone(`is ${this.#state}`));
    }
  }

  /** The session of the running attempt, or of the attempt by which `connect` replaces it. */
  #opened(): Promise<ClientSession> {
    const opening = this.#opening ?? Promise.reject(this.#gone("is not connected"));
    return opening.catch((error: unknown) => {
      if (this.#opening === undefined || this.#opening === opening) {
        throw error;
      }
      return this.#opened();
    });
  }

  /**
   * Ends the session and every attempt to open one. Idempotent. The server may be connected to
   * again.
   */
  async close(): Promise<void> {
    this.#stop.abort(this.#gone("was closed"));
    const session = this.#session;
    this.#session = undefined;
    this.#opening = undefined;
    if (this.#state !== "disabled") {
      this.#become("closed", undefined);
    }
    this.#setup.onLost();
    await this.#dialer.close(session);
  }

  /**
   * Emits `auth_required`. The server stays in its state, because further requests may need less.
   */
  unauthorized(error: unknown): void {
    const login = this.authorization?.login?.bind(this.authorization);
    const detail: HostEvents["auth_required"] = {
      server: this.name,
      error,
      login:
        login &&
        (async (options) => {
          await login(options);
          if (this.#state === "closed") {
            throw this.#gone("is closed");
          }
          await this.connect();
        }),
    };
    this.#setup.events.emit("auth_required", detail);
  }

  /** Called when a breaker opens or closes. */
  breakerChanged(): void {
    const isOpen = Object.values(this.breakers).some((breaker) => breaker.state !== "closed");
    if (isOpen && this.#state === "ready") {
      this.#become("degraded", this.#error);
    } else if (!isOpen && this.#state === "degraded") {
      this.#become("ready", undefined);
    }
  }

  #track(opening: Promise<ClientSession>): void {
    this.#opening = opening;
    const forget = (): void => {
      if (this.#opening === opening) {
        this.#opening = undefined;
      }
    };
    void opening.catch(() => {}).then(forget);
  }

  async #openFirst(stop: AbortSignal): Promise<ClientSession> {
    this.#become("connecting", undefined);
    try {
      return await this.#attempt(stop);
    } catch (error) {
      if (!stop.aborted) {
        this.#fail(error);
      }
      throw error;
    }
  }

  async #attempt(stop: AbortSignal): Promise<ClientSession> {
    const session = await this.#dialer.open(stop);
    if (stop.aborted) {
      await session.close({ drainMs: 0 });
      throw stop.reason;
    }
    this.#begin(session);
    return session;
  }

  #begin(session: ClientSession): void {
    this.#session = session;
    this.#become("ready", undefined);
    this.breakers.read.succeed();
    this.breakers.write.succeed();
    void session.closed.then(({ error }) => this.#lost(session, error));
  }

  #lost(session: ClientSession, error: unknown): void {
    if (this.#session !== session) {
      return;
    }
    this.#session = undefined;
    this.#setup.onLost();
    const cause = error ?? connectionClosed(`The server ${this.name} ended the connection.`);
    const { reconnect, clock } = this.#setup;
    if (!this.#crashes.spend(clock.now())) {
      const reason = `It was lost more than ${reconnect.maxCrashes} times within ${reconnect.crashWindowMs} ms.`;
      this.#remove(reason, cause);
    } else {
      this.#track(this.#recover(cause, this.#stop.signal));
    }
  }

  async #recover(cause: unknown, stop: AbortSignal): Promise<ClientSession> {
    const { reconnect, clock, random, events } = this.#setup;
    const { maxRetries } = reconnect;
    this.#become("reconnecting", cause);
    let last = cause;
    for (let attempt = 1; attempt <= maxRetries; attempt++) {
      events.emit("mcp_reconnecting", { server: this.name, attempt, maxRetries });
      await sleep(backoff(attempt - 1, { ...reconnect, random }), { clock, signal: stop, keepsAlive: false });
      try {
        const session = await this.#attempt(stop);
        events.emit("mcp_reconnected", { server: this.name, attempt });
        return session;
      } catch (error) {
        stop.throwIfAborted();
        last = error;
        this.#error = error;
        this.#setup.onChange();
        events.emit("mcp_reconnect_failed", { server: this.name, attempt, error });
        if (wantsAuth(error)) {
          // Further attempts would be refused alike.
          this.#fail(error);
          throw error;
        }
      }
    }
    this.#remove(`It did not come back in ${maxRetries} attempts.`, last);
    throw this.#gone("did not come back");
  }

  #remove(reason: string, error: unknown): void {
    this.#fail(error);
    this.#setup.onRemoved(reason);
  }

  #fail(error: unknown): void {
    if (wantsAuth(error)) {
      this.#become("needs_auth", error);
      this.#forgetLogin = this.authorization?.changed?.(() => void this.#retry());
      this.unauthorized(error);
    } else {
      this.#become("failed", error);
    }
  }

  /** Connects with new credentials. A failure shows in the state. */
  async #retry(): Promise<void> {
    try {
      await this.connect();
    } catch {
      // Reported by `state` and `auth_required`.
    }
  }

  #become(to: ServerState, error: unknown): void {
    const from = this.#state;
    this.#forgetLogin?.();
    this.#forgetLogin = undefined;
    this.#state = to;
    this.#error = error;
    this.#setup.onChange();
    if (from !== to) {
      this.#setup.events.emit("state", {
        server: this.name,
        from,
        to,
        ...(error === undefined ? {} : { error }),
      });
    }
  }

  #gone(how: string): HostError {
    const error = this.#error;
    const why = error === undefined ? "" : ` ${reasonOf(error)}`;
    return new HostError("SERVER_GONE", `The server ${this.name} ${how}.${why}`, {
      server: this.name,
      phase: "connect",
      cause: error,
    });
  }
}

/** Returns the properties of a snapshot that describe the connection. */
function factsOf(session: ClientSession): Partial<ServerSnapshot> {
  const { revision, serverInfo, serverCapabilities, declaredCapabilities } = session;
  const declared = declaredCapabilities.extensions ?? {};
  const extensions = Object.keys(serverCapabilities.extensions ?? {}).filter((id) =>
    Object.hasOwn(declared, id),
  );
  return { revision, serverInfo, ...(extensions.length === 0 ? {} : { extensions }) };
}
