import { checkOptionNames } from "@tenon/base";
import type { ReadResourceResult } from "@tenon/protocol";

import { useQuery, type Loaded } from "./query.ts";
import type { ServerConnection } from "./server-store.ts";

/** Options of {@link useResource}. */
export interface UseResourceOptions {
  /**
   * Whether the resource is read again after each update, if the server sends updates. Each watched
   * resource of a 2026-07-28 server holds an HTTP request open. Default: `true`.
   */
  readonly watch?: boolean | undefined;
}

/**
 * Reads a resource, and reads it again after each update.
 *
 * @param uri - With `undefined`, nothing is read.
 * @throws `TypeError` for options that do not exist.
 */
export function useResource(
  server: ServerConnection,
  uri: string | undefined,
  options: UseResourceOptions = {},
): Loaded<ReadResourceResult> {
  checkOptionNames("useResource", options, "watch");
  const { watch = true } = options;
  return useQuery(
    server,
    (session) =>
      uri === undefined
        ? undefined
        : {
            load: (signal, fresh) => session.readResource({ uri }, { signal, fresh }),
            async follow(changed, signal) {
              if (!watch || session.serverCapabilities.resources?.subscribe !== true) {
                return;
              }
              const updates = session.watch(uri, { signal });
              try {
                await updates.ready;
              } catch {
                // The server does not send updates of this resource.
                return;
              }
              // There may have been an update since it was read.
              changed();
              for await (const _ of updates) {
                changed();
              }
            },
          },
    [uri, watch],
  );
}
