import type { ClientSession } from "@tenon/mcp";

import { messageOf } from "./context.ts";

/** The session of a check. A server that ended is started again. */
export interface Link {
  /** The present session. Read it before each use: a restart replaces it. */
  readonly session: ClientSession;
  /**
   * Opens another session if the server of the present one does not respond any more.
   *
   * @returns Why it was opened, or `undefined` if the server responds.
   * @throws CheckEnded if no session can be opened, or the server ended too often.
   */
  revive(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A check cannot continue. Its findings are kept. */
export class CheckEnded extends Error {
  override readonly name = "CheckEnded";
}

/** Restarts of one server. Shrinking the arguments of a call that ends a server needs many. */
const maxRestarts = 100;
/** The time for the response to a ping, in ms, after which a server counts as ended. */
const pingMs = 5_000;

/** Creates a link. @param open - Opens each session. @param timeoutMs - At most for a ping. */
export async function createLink(
  open: () => Promise<ClientSession>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Link> {
  let ended = false;
  const opened = async (): Promise<ClientSession> => {
    const next = await open();
    ended = false;
    void next.closed.then(() => {
      ended ||= next === session;
    });
    return next;
  };
  let session: ClientSession;
  session = await opened();
  const ping = async (): Promise<string | undefined> => {
    try {
      await session.ping(undefined, { timeoutMs: Math.min(pingMs, timeoutMs), signal });
      return undefined;
    } catch (error) {
      signal?.throwIfAborted();
      return messageOf(error);
    }
  };
  // If a server never responds to a ping, only the end of its connection shows that it ended.
  const respondsToPing = (await ping()) === undefined;
  let restarts = 0;

  async function reasonOfEnd(): Promise<string | undefined> {
    if (respondsToPing) {
      return ping();
    }
    // The end is known after the error of the call.
    await new Promise((resolve) => setTimeout(resolve, 0));
    return ended ? "The session has ended." : undefined;
  }

  return {
    get session() {
      return session;
    },
    async revive() {
      const reason = await reasonOfEnd();
      if (reason === undefined) {
        return undefined;
      }
      await session.close({ drainMs: 0 });
      if (++restarts > maxRestarts) {
        throw new CheckEnded(`The server ended ${restarts} times; the rest was not checked.`);
      }
      try {
        session = await opened();
      } catch (error) {
        signal?.throwIfAborted();
        throw new CheckEnded(`The server ended, and no session can be opened: ${messageOf(error)}`);
      }
      return reason;
    },
    close: () => session.close(),
  };
}
