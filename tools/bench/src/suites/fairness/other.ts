import { setTimeout as delay } from "node:timers/promises";

import { quantile } from "../../stats.ts";
import { LoadConnection, openSocket } from "../http/load/connection.ts";
import {
  callsOn,
  initializeParams,
  modernRequest,
  post,
  type CallText,
  type Mode,
} from "../http/load/requests.ts";
import type { Identity } from "./identity.ts";

/** The pause between two calls on a connection: the other client does not load the server. */
const pauseMs = 4;
const modes: readonly Mode[] = ["modern", "stateful", "modern", "stateful"];

/** What the other client found in a window. */
export interface Window {
  readonly p50Ns: number;
  readonly p99Ns: number;
  /** Requests that were refused, broken off or answered wrongly. */
  readonly failed: number;
  readonly calls: number;
}

/**
 * The client whose calls are measured: small calls on four connections, two of them in sessions.
 */
export class Other {
  readonly #port: number;
  readonly #identity: Identity;
  readonly #lines: readonly [LoadConnection, CallText][];
  /** Requests that failed so far, also outside of windows. */
  failed = 0;
  /** Texts of the first failures. */
  readonly failures: string[] = [];

  private constructor(port: number, identity: Identity, lines: readonly [LoadConnection, CallText][]) {
    this.#port = port;
    this.#identity = identity;
    this.#lines = lines;
  }

  static async open(port: number, identity: Identity): Promise<Other> {
    const lines = modes.map(async (mode): Promise<[LoadConnection, CallText]> => {
      const connection = await LoadConnection.open(port, identity.address);
      return [connection, await callsOn(connection, mode, identity.fields)];
    });
    return new Other(port, identity, await Promise.all(lines));
  }

  /** Calls for `windowMs`, or until the promise settles. */
  async call(until: number | Promise<unknown>): Promise<Window> {
    const ended = new AbortController();
    const stop = (): void => ended.abort();
    void (typeof until === "number" ? delay(until) : until).then(stop, stop);
    const times: number[] = [];
    const before = this.failed;
    await Promise.all(
      this.#lines.map(async ([connection, text], index) => {
        for (let a = index; !ended.signal.aborted; a += modes.length) {
          const begun = performance.now();
          await this.#expect(`"sum":${a + 2}}`, () => connection.send(text("add", { a, b: 2 })));
          times.push((performance.now() - begun) * 1e6);
          await delay(pauseMs);
        }
      }),
    );
    return {
      p50Ns: quantile(times, 0.5),
      p99Ns: quantile(times, 0.99),
      failed: this.failed - before,
      calls: times.length,
    };
  }

  /**
   * Everything else that a client does, once: a larger body, a larger answer, a listen, and, if
   * `initialize` is to work, a session.
   */
  async useEverything(initialize: boolean): Promise<void> {
    const { address, fields } = this.#identity;
    const connection = await LoadConnection.open(this.#port, address);
    const text = await callsOn(connection, "modern", fields);
    const long = "x".repeat(64 * 1024);
    await this.#expect(`"${long.length}"`, () => connection.send(text("length", { text: long })));
    await this.#expect("0123456789", () => connection.send(text("large", {})));
    if (initialize) {
      await this.#expect("serverInfo", () =>
        connection.send(post(fields, { id: 0, method: "initialize", params: initializeParams })),
      );
    }
    connection.close();
    await this.#expect("subscriptions/acknowledged", () => this.#listen());
  }

  async #listen(): Promise<{ readonly status: number; readonly body: Buffer }> {
    const socket = await openSocket(this.#port, this.#identity.address);
    const params = { notifications: { toolsListChanged: true } };
    socket.write(modernRequest(this.#identity.fields, "subscriptions/listen", params));
    let body = Buffer.alloc(0);
    for await (const chunk of socket) {
      body = Buffer.concat([body, chunk as Buffer]);
      if (body.includes("subscriptions/acknowledged")) {
        break;
      }
    }
    return { status: Number(body.toString("latin1", 9, 12)), body };
  }

  close(): void {
    for (const [connection] of this.#lines) {
      connection.close();
    }
  }

  async #expect(
    text: string,
    ask: () => Promise<{ readonly status: number; readonly body: Buffer }>,
  ): Promise<void> {
    let found: string;
    try {
      const { status, body } = await ask();
      if (status === 200 && body.includes(text)) {
        return;
      }
      found = `${status} ${body.toString("latin1", 0, 200)}`;
    } catch (error) {
      found = String(error);
    }
    this.failed++;
    if (this.failures.length < 3) {
      this.failures.push(`expected ${text.slice(0, 40)}, got ${found}`);
    }
  }
}
