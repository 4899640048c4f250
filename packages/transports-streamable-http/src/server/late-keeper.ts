import type { Exchange, HeaderFields } from "@tenon/http/server";
import type { AuthInfo } from "@tenon/protocol";

import { answerFailure } from "./failure.ts";
import { refusal, refuse } from "./refusal.ts";
import type { SessionKeeper } from "./session-keeper.ts";

/**
 * A keeper whose code is loaded with the first request of a session.
 *
 * @param load - Called once at a time, until it resolves.
 * @param onError - Receives what `load` throws.
 */
export function lateKeeper(
  load: () => Promise<SessionKeeper>,
  onError: (error: unknown) => void,
): SessionKeeper {
  let loading: Promise<SessionKeeper> | undefined;
  let isClosed = false;

  function start(): Promise<SessionKeeper> {
    if (loading === undefined) {
      loading = load();
      loading.catch(() => {
        loading = undefined;
      });
    }
    return loading;
  }

  async function use(
    work: (keeper: SessionKeeper) => unknown,
    exchange: Exchange,
    headers: HeaderFields,
  ): Promise<void> {
    if (isClosed && loading === undefined) {
      refuse(exchange, refusal(503, -32603, "The server is shutting down"), headers);
      return;
    }
    try {
      await work(await start());
    } catch (error) {
      answerFailure(exchange, error, headers, onError);
    }
  }

  return {
    open: (request, call, server) =>
      use((keeper) => keeper.open(request, call, server), call.exchange, call.headers),
    post: (incoming, call, sessionId) =>
      use((keeper) => keeper.post(incoming, call, sessionId), call.exchange, call.headers),
    serve: (exchange: Exchange, auth: AuthInfo | undefined, headers: HeaderFields) =>
      use((keeper) => keeper.serve(exchange, auth, headers), exchange, headers),
    attend(principal) {
      if (principal !== undefined && loading === undefined && !isClosed) {
        start().catch(onError);
      }
    },
    // Sessions of the principal may exist although this process has served none.
    revoke: async (principal) => (await start()).revoke(principal),
    async close(drainMs) {
      isClosed = true;
      await (await loading)?.close(drainMs);
    },
  };
}
