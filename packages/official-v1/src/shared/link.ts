import { systemClock, type Clock } from "@tenon/base";
import { isLocalError, Peer, type Closed, type Connection, type RequestId } from "@tenon/jsonrpc2";
import type { NotificationOptions, RequestOptions } from "mcp-sdk-1/shared/protocol.js";
import type { Transport } from "mcp-sdk-1/shared/transport.js";

import { Attempt } from "./attempt.ts";
import { createCalls, type Calls } from "./calls.ts";
import { connectionOf, offeredBy, type TransportConnection } from "./connection.ts";
import { hooks, type Internals, type ModernSession, type Named, type Schema } from "./internals.ts";
import { createReceiver } from "./receiver.ts";
import { takeOver } from "./task-messages.ts";

/** The official engine has no limit of requests in flight: programs with long polls count on it. */
const maxInFlight = 65_536;
/** The official stdio server does not close at the end of its input: running handlers continue. */
const drainMs = 3_600_000;
/** The process ends as soon as nothing else keeps it alive, such as the work of a handler. */
const directClock: Clock = {
  ...systemClock,
  setTimeout: (callback, delayMs, keepsAlive) =>
    systemClock.setTimeout(callback, delayMs, keepsAlive && delayMs < drainMs),
};

/** One connection of a protocol, from `connect` to its end. */
export class Link {
  readonly #protocol: Internals;
  readonly #transport: Transport;
  readonly #calls: Calls;
  #peer: Peer | undefined;
  #session: ModernSession | undefined;
  /** Ends the connection while its protocol version is negotiated. */
  #closing: (() => Promise<void>) | undefined;
  #attempt: Attempt | undefined;
  /** Starts the server once more, if it has ended without a message. */
  #repeat: (() => Promise<boolean>) | undefined;
  #isEnded = false;

  /** A link that {@link open} connects. */
  constructor(protocol: Internals, transport: Transport) {
    this.#protocol = protocol;
    this.#transport = transport;
    this.#calls = createCalls(protocol);
  }

  /** The modern session, if one was negotiated. */
  get session(): ModernSession | undefined {
    return this.#session;
  }

  /** Starts the transport and reads from it. */
  async open(): Promise<void> {
    const protocol = this.#protocol;
    const transport = this.#transport;
    const { onerror } = transport;
    transport.onerror = (error): void => {
      onerror?.(error);
      protocol._onerror(error);
    };
    const direct = offeredBy(transport);
    if (direct !== undefined) {
      const opened = direct.then((connection) => this.#read(connection, drainMs));
      this.#closing = async () => {
        await opened;
        await this.#peer?.close({ drainMs: 0 });
      };
      await opened;
      this.#closing = undefined;
      return;
    }
    const negotiate = protocol[hooks]?.negotiator?.(protocol, transport);
    const attempt = negotiate && new Attempt(transport);
    this.#attempt = attempt;
    const connect = (): TransportConnection =>
      connectionOf(transport, {
        isAttempt: () => attempt?.isRunning === true,
        optionsOf: (message) =>
          "id" in message ? this.#calls.optionsOf(message.id as RequestId) : undefined,
        takes: (message) => {
          attempt?.received();
          return takeOver(protocol, message);
        },
        onEnd: () => this.#end(),
        onUnknown: (message) => {
          protocol._onerror(new Error(`Unknown message type: ${JSON.stringify(message)}`));
        },
      });
    const connection = connect();
    if (negotiate === undefined || attempt === undefined) {
      // The official engine reads before it starts: some transports deliver during `start`.
      this.#read(connection, 0);
      await this.#start(connection);
      return;
    }
    this.#closing = () => attempt.close(connection);
    const negotiated = await attempt.run(connection, negotiate);
    // A server that ends when it gets an unknown request is started once more.
    const repeat = async (): Promise<void> => {
      attempt.repeat();
      connection.release();
      this.#closing = undefined;
      const again = connect();
      this.#read(again, 0);
      await this.#start(again);
    };
    if (negotiated.session !== undefined) {
      this.#use(negotiated.session, connection);
    } else if (negotiated.connection === undefined) {
      await repeat();
    } else {
      this.#read(negotiated.connection, 0);
      this.#closing = () =>
        attempt.isRunning ? attempt.close(connection) : Promise.resolve(this.#peer?.close({ drainMs: 0 }));
      // A server with a slow start gets that request later.
      this.#repeat = async () => {
        const hasEnded = attempt.isRunning && connection.isUnreported;
        await (hasEnded ? repeat() : undefined);
        return hasEnded;
      };
    }
  }

  #use(session: ModernSession, connection: Connection): void {
    this.#session = session;
    const end = async (): Promise<void> => {
      await connection.close();
      this.#end();
    };
    const ended = session.closed.then(end, end);
    this.#closing = async () => {
      await session.close();
      await ended;
    };
  }

  async #start(connection: TransportConnection): Promise<void> {
    try {
      await connection.start();
    } catch (error) {
      void this.#peer?.close({ drainMs: 0 });
      throw error;
    }
  }

  /** Ends the connection; the transport closes in this turn. */
  async close(): Promise<void> {
    await (this.#closing?.() ?? this.#peer?.close({ drainMs: 0 }));
  }

  #read(connection: Connection, drain: number): void {
    const protocol = this.#protocol;
    const isDirect = drain > 0;
    const received = createReceiver(protocol, {
      sessionId: () => this.#transport.sessionId,
      release: (id) => this.#peer?.cancel(id),
    });
    const peer = new Peer(connection, {
      handler: received.handle,
      relate: (notification) => this.#calls.relate(notification),
      cancellation: {
        notification: (id, reason) => ({
          method: "notifications/cancelled",
          params: { requestId: id, reason: String(this.#calls.reasonOf(id, reason)) },
        }),
        read: received.cancelled,
      },
      nextId: () => protocol._requestMessageId++,
      limits: { drainMs: drain, maxInFlight, maxBacklog: maxInFlight },
      clock: isDirect ? directClock : systemClock,
      // The official engine passes over what it cannot read, and reports it.
      answerRefused: () => false,
      onUnexpected: received.unexpected,
      onError: (error) => {
        if (!isLocalError(error, "CONNECTION_CLOSED")) {
          protocol._onerror(error as Error);
        }
      },
    });
    this.#peer = peer;
    void peer.closed.then((end) => {
      if (this.#peer === peer) {
        this.#peerEnded(end, isDirect);
      }
    });
  }

  #peerEnded({ error }: Closed, isDirect: boolean): void {
    if (this.#isEnded || this.#attempt?.isRunning === true) {
      return;
    }
    if (error !== undefined) {
      this.#protocol._onerror(error as Error);
    }
    if (isDirect) {
      this.#transport.onclose?.();
    }
    this.#end();
  }

  #end(): void {
    if (this.#isEnded) {
      return;
    }
    this.#isEnded = true;
    // Aborts the handlers, in this turn.
    void this.#peer?.close({ drainMs: 0 });
    // Over HTTP a modern session has connections of its own.
    this.#session?.close().catch(() => {});
    const protocol = this.#protocol;
    protocol[hooks]?.ended?.(protocol);
    protocol._onclose();
  }

  /** Sends a request that no hook has taken. */
  async request(request: Named, schema: Schema, options: RequestOptions): Promise<unknown> {
    const protocol = this.#protocol;
    const caller = this.#session ?? this.#callerOfPeer();
    if (caller === undefined) {
      throw new Error("Not connected");
    }
    if (protocol._options?.enforceStrictCapabilities === true) {
      protocol.assertCapabilityForMethod(request.method);
    }
    options.signal?.throwIfAborted();
    try {
      return await this.#calls.send(caller, request, schema, options);
    } catch (error) {
      const repeated = request.method === "initialize" && (await this.#repeat?.()) === true;
      const again = repeated ? this.#callerOfPeer() : undefined;
      if (again === undefined) {
        throw error;
      }
      return this.#calls.send(again, request, schema, options);
    }
  }

  #callerOfPeer(): Pick<ModernSession, "call"> | undefined {
    const peer = this.#peer;
    return peer && !this.#isEnded
      ? { call: (method, params, options) => peer.call(method, params, options) }
      : undefined;
  }

  /** Sends a notification that no hook has taken. */
  async notification({ method, params }: Named, options: NotificationOptions): Promise<void> {
    const protocol = this.#protocol;
    const { relatedRequestId } = options;
    const debounced = protocol._options?.debouncedNotificationMethods ?? [];
    if (params === undefined && relatedRequestId === undefined && debounced.includes(method)) {
      const waiting = protocol._pendingDebouncedNotifications;
      if (!waiting.has(method)) {
        waiting.add(method);
        queueMicrotask(() => {
          // The end of the connection empties the set.
          if (!waiting.delete(method) || protocol._transport === undefined) {
            return;
          }
          this.#notify(method, params, undefined).catch((error: unknown) =>
            protocol._onerror(error as Error),
          );
        });
      }
      return;
    }
    await this.#notify(method, params, relatedRequestId);
  }

  async #notify(method: string, params: Named["params"], relatedTo: RequestId | undefined): Promise<void> {
    if (this.#session !== undefined) {
      await this.#session.notify(method, params);
    } else if (!this.#isEnded) {
      await this.#peer?.notify(method, params, { relatedTo });
    }
  }
}
