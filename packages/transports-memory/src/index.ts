/**
 * Two transports connected to each other, in one process.
 *
 * @packageDocumentation
 */

import { checkOptionNames, readLimits, type LimitRules } from "@tenon/base";
import {
  connectionClosed,
  isMany,
  LocalError,
  type Connection,
  type Incoming,
  type Outgoing,
  type Transport,
} from "@tenon/jsonrpc2/core";
import { copyOf, offerDirectRead, withRelation } from "@tenon/jsonrpc2/transport";

import { Lane } from "./lane.ts";

/** Options of {@link createInMemoryTransports}. */
export interface InMemoryOptions {
  /**
   * `true` (the default): the receiver gets the message that it would parse from its JSON, as on
   * any other transport. A change at one end is never visible at the other, and values that JSON
   * cannot carry are detected. `false` passes the object itself, which is faster and shares it.
   */
  readonly serialize?: boolean | undefined;
  /** Limits of each direction. Each limit has its own default. */
  readonly limits?: InMemoryLimits | undefined;
}

/** Limits of one direction of a pair of transports. */
export interface InMemoryLimits {
  /**
   * Maximum number of unread messages. Further writes wait until the receiver reads. Default:
   * `1_024`.
   */
  readonly maxQueued?: number | undefined;
  /**
   * Maximum number of waiting writes. Further writes reject with `LIMIT_EXCEEDED`. Default:
   * `65_536`.
   */
  readonly maxWaiting?: number | undefined;
}

const limitRules: LimitRules<InMemoryLimits> = { maxQueued: [1024, 1], maxWaiting: [65_536, 0] };

/**
 * Creates a linked pair of transports. Messages that are written to one are read from the other, in
 * order. Each connects once.
 *
 * @example
 * const [here, there] = createInMemoryTransports();
 * await server.connect(there);
 * const session = await client.connect(here);
 *
 * @throws `TypeError` for options that do not exist or are out of range; `LocalError`
 *   `INVALID_STATE` from a second `connect` of the same end.
 * @source S-040
 */
export function createInMemoryTransports(options: InMemoryOptions = {}): [Transport, Transport] {
  checkOptionNames("createInMemoryTransports", options, "serialize limits", limitRules);
  const { serialize = true } = options;
  const { maxQueued, maxWaiting } = readLimits(options.limits, limitRules);
  const left = new Lane<Incoming>(maxQueued, maxWaiting);
  const right = new Lane<Incoming>(maxQueued, maxWaiting);
  return [transportOver(left, right, serialize), transportOver(right, left, serialize)];
}

function transportOver(inbound: Lane<Incoming>, outbound: Lane<Incoming>, serialize: boolean): Transport {
  let used = false;
  return {
    connect({ signal } = {}) {
      if (signal?.aborted === true) {
        return Promise.reject(signal.reason);
      }
      if (used) {
        const message = "This end of the pair is connected already; create another pair.";
        return Promise.reject(new LocalError("INVALID_STATE", message));
      }
      used = true;
      return Promise.resolve(connectionOver(inbound, outbound, serialize));
    },
  };
}

function connectionOver(inbound: Lane<Incoming>, outbound: Lane<Incoming>, serialize: boolean): Connection {
  let closed = false;
  const connection: Connection = {
    read() {
      return closed ? Promise.resolve(undefined) : inbound.read();
    },
    write(message, options) {
      if (closed) {
        return Promise.reject(connectionClosed());
      }
      try {
        const handed = handOver(serialize ? copyOf(message) : message);
        const { relatedTo } = options ?? {};
        return outbound.write(
          relatedTo === undefined ? handed : withRelation(handed, relatedTo),
          options?.signal,
        );
      } catch (error) {
        return Promise.reject(error);
      }
    },
    close() {
      closed = true;
      inbound.end(true);
      outbound.end(false);
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
  offerDirectRead(connection, (reader) => inbound.readTo(reader));
  return connection;
}

/** The value was a message when it was written, so it is not checked again. */
function handOver(message: Outgoing): Incoming {
  return isMany(message) ? { batch: message } : message;
}
