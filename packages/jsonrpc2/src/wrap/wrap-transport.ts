import type { Incoming, Outgoing } from "../message.ts";
import type { Connection, Transport, WriteOptions } from "../transport.ts";

/**
 * The functions with which {@link wrapTransport} inspects and changes messages. Every function is
 * optional; its return value replaces its argument.
 */
export interface TransportHooks {
  /**
   * Called for every message that is read. Return the message or a replacement. If it throws, the
   * connection breaks.
   */
  onRead?(incoming: Incoming): Incoming;
  /**
   * Called for every message that is written. Return the message or a replacement. If it throws,
   * only this write fails.
   */
  onWrite?(outgoing: Outgoing, options: WriteOptions | undefined): Outgoing;
  /** Called once when reading ends: with the error, or with `undefined` at the normal end. */
  onEnd?(error: unknown): void;
  /** Called when a write fails. */
  onWriteError?(error: unknown, outgoing: Outgoing): void;
}

/**
 * A transport that passes all messages to `inner` and calls hooks that may inspect and rewrite
 * them, for example to add trace context. Order, back pressure, lifetime and all other properties
 * of its connections come from `inner`.
 *
 * @param hooks - Shared by all connections, or a function that makes them for each.
 * @source S-044
 */
export function wrapTransport<C extends Connection>(
  inner: Transport<C>,
  hooks: TransportHooks | (() => TransportHooks),
): Transport<C> {
  return {
    async connect(options) {
      return wrapConnection(await inner.connect(options), typeof hooks === "function" ? hooks() : hooks);
    },
    get authorization() {
      return inner.authorization;
    },
  };
}

function wrapConnection<C extends Connection>(inner: C, hooks: TransportHooks): C {
  let ended = false;
  const end = (error: unknown): void => {
    if (!ended) {
      ended = true;
      hooks.onEnd?.(error);
    }
  };
  const wrapped: Connection = {
    async read() {
      let incoming: Incoming | undefined;
      try {
        incoming = await inner.read();
      } catch (error) {
        end(error);
        throw error;
      }
      if (incoming === undefined) {
        end(undefined);
        return undefined;
      }
      return hooks.onRead === undefined ? incoming : hooks.onRead(incoming);
    },
    async write(message, options) {
      try {
        await inner.write(hooks.onWrite === undefined ? message : hooks.onWrite(message, options), options);
      } catch (error) {
        hooks.onWriteError?.(error, message);
        throw error;
      }
    },
    close: (reason) => inner.close(reason),
    [Symbol.asyncDispose]: () => wrapped.close(),
  };
  // Further properties of a connection, such as its process, are read from the inner connection.
  return Object.setPrototypeOf(wrapped, new Proxy<C>(inner, { get: getBound })) as C;
}

function getBound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key, target);
  return typeof value === "function" ? value.bind(target) : value;
}
