import type { SessionKeeper } from "./session-keeper.ts";

/**
 * A keeper whose code is loaded with the first request of a session.
 *
 * @param load - Called once at a time, until it resolves.
 * @param onError - Receives what `load` throws when no request waits for it.
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

  return {
    open: async (...request) => (await start()).open(...request),
    post: async (...request) => (await start()).post(...request),
    serve: async (...request) => (await start()).serve(...request),
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
