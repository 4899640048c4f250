import { checkOptionNames, sleep, systemClock, type Clock } from "@tenon/base";
import {
  connectionClosed,
  type Connection,
  type Incoming,
  type Outgoing,
  type Transport,
  type WriteOptions,
} from "@tenon/jsonrpc2/core";
import { decode } from "@tenon/jsonrpc2/decode";
import { seededRandom } from "@tenon/jsonschema/generate";

import { createChooser } from "./chooser.ts";
import { damaged } from "./damaged.ts";
import { checkFaults, type Fault } from "./fault.ts";

/** Options of {@link faulty}. */
export interface FaultyOptions {
  /** Decides `probability` and corrupted characters. Default: 1. */
  readonly seed?: number | undefined;
  /** The clock of delays. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
  /** Called with each fault that is about to happen, and its message. */
  readonly onFault?: ((fault: Fault, message: unknown) => void) | undefined;
}

/**
 * Wraps a transport whose messages are lost, late, doubled, exchanged or broken as a plan says. The
 * first fault of the plan that applies to a message is taken. Counts start again with each
 * connection.
 *
 * @param transport - Not connected yet.
 * @throws `TypeError` for a fault or an option that cannot be meant.
 */
export function faulty(
  transport: Transport,
  faults: readonly Fault[],
  options: FaultyOptions = {},
): Transport {
  checkOptionNames("faulty", options, "seed clock onFault");
  checkFaults(faults);
  return {
    async connect(connectOptions) {
      return faultyConnection(await transport.connect(connectOptions), faults, options);
    },
    get authorization() {
      return transport.authorization;
    },
  };
}

function faultyConnection(
  inner: Connection,
  faults: readonly Fault[],
  { seed = 1, clock = systemClock, onFault }: FaultyOptions,
): Connection {
  const random = seededRandom(seed);
  const choose = createChooser(faults, random);
  const ended = new AbortController();
  const stalled = new Promise<undefined>((resolve) => {
    ended.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  /** The next messages to read: duplicates, and messages that were overtaken. */
  const ready: Incoming[] = [];
  let overtaken: { readonly message: Outgoing; readonly options: WriteOptions | undefined } | undefined;
  const stopped = { read: false, write: false };

  function faultOf(message: unknown, dir: Fault["dir"]): Fault | undefined {
    const fault = choose(message, dir);
    if (fault !== undefined) {
      onFault?.(fault, message);
      stopped[dir] ||= fault.kind === "stall";
    }
    return fault;
  }

  async function wait({ delayMs = 1_000 }: Fault): Promise<void> {
    await sleep(delayMs, { signal: ended.signal, clock, keepsAlive: true }).catch(() => {});
  }

  async function breakOff(): Promise<never> {
    await close();
    throw connectionClosed("The plan of faults breaks the connection here.");
  }

  async function read(): Promise<Incoming | undefined> {
    for (;;) {
      const first = ready.shift();
      if (first !== undefined) {
        return first;
      }
      const incoming = stopped.read ? await stalled : await inner.read();
      const fault = incoming === undefined ? undefined : faultOf(incoming, "read");
      if (incoming === undefined || fault === undefined) {
        return incoming;
      }
      switch (fault.kind) {
        case "delay":
          await wait(fault);
          return incoming;
        case "duplicate":
          ready.push(incoming);
          return incoming;
        case "reorder": {
          const next = await inner.read();
          ready.push(incoming);
          if (next !== undefined) {
            return next;
          }
          break;
        }
        case "corrupt":
        case "truncate":
          return decode(damaged(JSON.stringify(incoming), fault.kind, random));
        case "close":
          return breakOff();
        default:
          // Dropped or stalled: read the next message.
          break;
      }
    }
  }

  /** Each write waits for the writes before it, so that no write overtakes a delayed one. */
  let lastWrite: Promise<unknown> = Promise.resolve();

  function write(message: Outgoing, options?: WriteOptions): Promise<void> {
    const written = lastWrite.then(() => writeNext(message, options));
    lastWrite = written.catch(() => {});
    return written;
  }

  async function writeNext(message: Outgoing, options?: WriteOptions): Promise<void> {
    const fault = stopped.write ? undefined : faultOf(message, "write");
    if (stopped.write || fault?.kind === "drop") {
      return;
    }
    if (fault?.kind === "reorder" && overtaken === undefined) {
      overtaken = { message, options };
      return;
    }
    if (fault?.kind === "close") {
      await breakOff();
    }
    if (fault?.kind === "delay") {
      await wait(fault);
    }
    await inner.write(message, options);
    if (fault?.kind === "duplicate") {
      await inner.write(message, options);
    }
    const late = overtaken;
    if (late !== undefined) {
      overtaken = undefined;
      await inner.write(late.message, late.options);
    }
  }

  async function close(reason?: unknown): Promise<void> {
    ended.abort();
    await inner.close(reason);
  }

  return {
    read,
    write,
    close,
    [Symbol.asyncDispose]: () => close(),
    sessionId: inner.sessionId,
    answersUnidentified: inner.answersUnidentified,
    network: inner.network,
    started: inner.started,
  };
}
