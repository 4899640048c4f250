import { reasonOf, type Clock } from "@tenon/base";
import type { Authorization, Connection, Transport } from "@tenon/jsonrpc2";
import type { Client, ClientSession } from "@tenon/mcp";

import { HostError, isHostError } from "../error.ts";
import type { Rules } from "../policy/policy.ts";
import { poolOf, type ServerSpec } from "../spec.ts";
import type { Pool } from "./pool.ts";
import { within } from "./wait.ts";
import { tapTransport, wantsAuth } from "./wire.ts";

/** The dependencies of a {@link Dialer}. */
export interface DialSetup {
  readonly name: string;
  readonly spec: ServerSpec;
  readonly rules: Rules;
  readonly client: Client;
  readonly pools: Readonly<Record<"stdio" | "remote", Pool>>;
  readonly clock: Clock;
  /** Makes the transport of one attempt. */
  transport(): Transport;
  readonly onError: (error: unknown) => void;
}

/** The factor by which the time of a server grows with each attempt. */
const patienceGrowth = 4;

/**
 * Opens sessions with one server, within the limits on simultaneous handshakes, and leaves nothing
 * behind of attempts that failed.
 */
export class Dialer {
  readonly #setup: DialSetup;
  readonly #connections = new Set<Connection>();
  #authorization: Authorization | undefined;

  constructor(setup: DialSetup) {
    this.#setup = setup;
  }

  /** The credentials of the newest transport. */
  get authorization(): Authorization | undefined {
    return this.#authorization;
  }

  /**
   * Waits for a place among the handshakes, and makes one.
   *
   * @throws `HostError` `CONNECT_FAILED`; the reason of `stop`.
   */
  async open(stop: AbortSignal): Promise<ClientSession> {
    const { pools, spec, rules } = this.#setup;
    const { gate, patienceMs } = pools[poolOf(spec)];
    const { connectTimeoutMs } = rules.limits;
    for (let ms = patienceMs; ; ms *= patienceGrowth) {
      const leave = await gate.enter(stop);
      // While others wait, a slow server has a short time at first, and more at each of its turns:
      // no number of dead ones keeps a slow one waiting for long.
      const isHurried = gate.waiting > 0 && ms < connectTimeoutMs;
      try {
        return await this.#handshake(isHurried ? ms : connectTimeoutMs, stop);
      } catch (error) {
        stop.throwIfAborted();
        if (!(isHurried && isHostError(error, "TIMEOUT"))) {
          throw this.#connectFailed(error);
        }
      } finally {
        leave();
      }
    }
  }

  /**
   * Closes all current connections, including connections of abandoned attempts whose processes may
   * still be exiting. Connections that are opened during `close` are not affected. Idempotent.
   *
   * @param session - Ended first, so that it can take its leave.
   */
  async close(session: ClientSession | undefined): Promise<void> {
    const connections = [...this.#connections];
    try {
      await session?.close({ drainMs: 0 });
    } finally {
      await Promise.all(connections.map((connection) => this.#end(connection)));
    }
  }

  async #handshake(ms: number, stop: AbortSignal): Promise<ClientSession> {
    const { name, clock, client, onError, transport: makeTransport } = this.#setup;
    const expired = (): HostError =>
      new HostError("TIMEOUT", `The server ${name} was not ready within ${ms} ms.`, {
        server: name,
        phase: "connect",
        retryable: true,
      });
    const opened = new Set<Connection>();
    let isOver = false;
    try {
      const transport = tapTransport(makeTransport(), (connection) => {
        opened.add(connection);
        this.#connections.add(connection);
        if (isOver) {
          void this.#end(connection);
        }
      });
      this.#authorization = transport.authorization;
      const session = await within(clock, ms, stop, expired, (signal) => {
        const connecting = client.connect(transport, { signal });
        connecting.then(
          (late) => void (signal.aborted && late.close({ drainMs: 0 }).catch(onError)),
          () => {},
        );
        return connecting;
      });
      void session.closed.then(() => opened.forEach((connection) => this.#connections.delete(connection)));
      return session;
    } catch (error) {
      isOver = true;
      // The place among the handshakes is kept until what was started has ended.
      await Promise.all([...opened].map((connection) => this.#end(connection)));
      throw error;
    }
  }

  async #end(connection: Connection): Promise<void> {
    try {
      await connection.close();
    } catch (error) {
      this.#setup.onError(error);
    }
    this.#connections.delete(connection);
  }

  #connectFailed(cause: unknown): HostError {
    const { name } = this.#setup;
    const message = `The server ${name} could not be connected to: ${reasonOf(cause)}`;
    return new HostError("CONNECT_FAILED", message, {
      server: name,
      phase: "connect",
      retryable: !wantsAuth(cause),
      cause,
    });
  }
}
