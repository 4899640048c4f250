import { Client, isMcpError, type ClientSession, type Transport } from "@tenon/sdk/client";
import { Server } from "@tenon/sdk/server";

/** The server of docs/lifecycle.md. */
export function createWorker(onError: (error: unknown) => void): Server {
  // #region server
  const server = new Server(
    { name: "worker", version: "1.0.0" },
    {
      limits: {
        drainMs: 5000, // time for running handlers when a session ends
        maxInFlight: 64, // requests of one session that run at a time; further requests wait
      },
      keepAlive: { intervalMs: 30_000, timeoutMs: 10_000, failureThreshold: 3 },
      onError,
    },
  );
  // #endregion server
  server.addTool({ name: "quick" }, () => "done");
  // #region signal
  server.addTool({ name: "count" }, async (_, { signal }) => {
    let count = 0;
    while (!signal.aborted) {
      count++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return `counted to ${count}`; // discarded: a cancelled request gets no response
  });
  // #endregion signal
  return server;
}

/** Serves until it is told to stop. */
export async function serve(server: Server, transport: Transport, stop: AbortSignal): Promise<void> {
  // #region run
  await server.run(transport, { signal: stop }); // until the client leaves, or the signal fires
  // #endregion run
}

/** The client of docs/lifecycle.md. */
export async function open(transport: Transport): Promise<ClientSession> {
  // #region client
  const client = new Client(
    { name: "desk", version: "1.0.0" },
    {
      limits: {
        timeoutMs: 20_000, // idle timeout
        totalTimeoutMs: 600_000, // total timeout; progress does not restart it
      },
      keepAlive: { intervalMs: 30_000 },
    },
  );
  const session = await client.connect(transport, { signal: AbortSignal.timeout(10_000) });
  // #endregion client
  return session;
}

/** Cancels a call. */
export async function giveUp(session: ClientSession): Promise<unknown> {
  // #region cancel
  const controller = new AbortController();
  const calling = session.callTool({ name: "count" }, { signal: controller.signal });
  controller.abort(new Error("the user left")); // the call rejects with this error at once; the server is notified
  // #endregion cancel
  return calling.catch((error: unknown) => error);
}

/** Notices the end of a session. */
export async function last(session: ClientSession): Promise<string> {
  // #region end
  const { error } = await session.closed; // never rejects
  if (error === undefined) {
    return "ended in good order";
  }
  return isMcpError(error, "KEEP_ALIVE_FAILED") ? "the server stopped responding" : "the connection broke";
  // #endregion end
}
