import { checkOptionNames, readLimits } from "@tenon/base";
import { connectionClosed, LocalError, type Transport } from "@tenon/jsonrpc2/core";

import { messageLimits, type MessageLimits } from "./limits.ts";
import { Link } from "./link.ts";
import { listen, type Emitter } from "./listen.ts";
import { createWarner } from "./warner.ts";

/** A window to send messages to, such as `iframe.contentWindow`, `window.parent` or a popup. */
export interface WindowLike {
  /** Whether the window was closed or its frame was removed. */
  readonly closed: boolean;
  /** Sends a structured clone to the window if its document has the target origin. */
  postMessage(message: unknown, targetOrigin: string): void;
}

/** Options of {@link windowTransport}. */
export interface WindowOptions {
  /**
   * The origin of the target: messages are sent to documents of this origin only, and received
   * messages of any other origin are dropped.
   *
   * - `"https://views.example"`: exactly this origin.
   * - `"null"`: the opaque origin of sandboxed frames and `data:` URLs. The platform cannot
   *   restrict the receiver to it, so any document in the target window receives the messages.
   * - `"*"`: the origin of the first message from the target. Until this message arrives, any
   *   document in the target window receives the messages.
   */
  readonly origin: string;
  /** The window that receives the messages of the target. Default: the global window. */
  readonly window?: Emitter | undefined;
  /** Limits of received and written messages. Each limit has its own default. */
  readonly limits?: MessageLimits | undefined;
  /**
   * Called when a message of another window or origin is dropped, for the 1st, 2nd, 4th, 8th
   * message and so on. By default dropped messages are not reported.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Creates a transport over `window.postMessage`, between a page and one other window: a frame, a
 * parent or a popup. Only messages of that window are received. The transport connects again after
 * its connection has ended, for example because the frame was loaded again.
 *
 * The connection ends if the document of the remote peer is unloaded or calls `close`, provided
 * that the remote peer uses this package. A write to a window that is closed rejects with
 * `CONNECTION_CLOSED`.
 *
 * @param target - The other window.
 * @example
 * // In a frame, with the window of its page:
 * const session = await client.connect(windowTransport(parent, { origin: "https://host.example" }));
 *
 * @throws `TypeError` for a target that is not a window, a missing or malformed origin, and options
 *   that do not exist or are out of range; `LocalError` `INVALID_STATE` from `connect` while a
 *   connection is open.
 */
export function windowTransport(target: WindowLike, options: WindowOptions): Transport {
  checkOptionNames("windowTransport", options, "origin window limits onWarning", messageLimits);
  const limits = readLimits(options.limits, messageLimits);
  // Other properties of a window of another origin throw.
  if (typeof target !== "object" || target === null || typeof target.postMessage !== "function") {
    throw new TypeError("The target of windowTransport must be a window, such as iframe.contentWindow.");
  }
  const origin = checkedOrigin(options.origin);
  const own = emitterOf(options.window ?? globalThis);
  const warn = createWarner(options.onWarning);
  let isOpen = false;

  const open = (): Link => {
    /** The only origin that is accepted, once it is known. */
    let pinned = origin === "*" ? undefined : origin;
    const link = new Link(
      {
        post(frame) {
          if (target.closed) {
            throw connectionClosed("The target window was closed or its frame was removed.");
          }
          target.postMessage(frame, pinned === undefined || pinned === "null" ? "*" : pinned);
        },
        close() {
          stop();
          isOpen = false;
        },
      },
      { limits, isLossy: true, answersUnidentified: false },
    );
    const isFromTarget = (source: unknown, from = "", data?: unknown): boolean => {
      // Messages that a document sends while it is unloaded have no source.
      if (source !== target && !(source === null && link.isFarewell(data))) {
        warn(`Dropped a message from another window (origin ${JSON.stringify(from)}).`);
        return false;
      }
      pinned ??= from;
      if (pinned !== from) {
        warn(`Dropped a message from origin ${JSON.stringify(from)}; expected ${JSON.stringify(pinned)}.`);
        return false;
      }
      return true;
    };
    const stop = listen(own, {
      message({ data, source, origin: from }) {
        if (isFromTarget(source, from, data)) {
          link.receive(data);
        }
      },
      messageerror({ source, origin: from }) {
        if (isFromTarget(source, from)) {
          link.receiveUnreadable();
        }
      },
      pagehide({ persisted }) {
        // A page that the browser keeps may be shown again, with all its connections.
        if (persisted !== true) {
          void link.close();
        }
      },
    });
    isOpen = true;
    return link;
  };

  return {
    connect({ signal } = {}) {
      if (signal?.aborted === true) {
        return Promise.reject(signal.reason);
      }
      if (isOpen) {
        const message = "This windowTransport is connected already. Close its connection first.";
        return Promise.reject(new LocalError("INVALID_STATE", message));
      }
      return Promise.resolve(open());
    },
  };
}

function emitterOf(window: object): Emitter {
  if (!("addEventListener" in window) || typeof window.addEventListener !== "function") {
    throw new TypeError("windowTransport requires a browser window. Set window to the window that receives.");
  }
  return window as Emitter;
}

const webScheme = /^https?:/i;
const otherOrigin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/;

function checkedOrigin(origin: unknown): string {
  if (origin === "*" || origin === "null") {
    return origin;
  }
  if (typeof origin === "string" && isOrigin(origin)) {
    return origin;
  }
  const given = typeof origin === "string" ? JSON.stringify(origin.slice(0, 100)) : typeof origin;
  throw new TypeError(
    `windowTransport: origin must be an origin such as "https://views.example", "null" for sandboxed frames, or "*"; got ${given}.`,
  );
}

function isOrigin(origin: string): boolean {
  return webScheme.test(origin)
    ? URL.canParse(origin) && new URL(origin).origin === origin
    : otherOrigin.test(origin);
}
