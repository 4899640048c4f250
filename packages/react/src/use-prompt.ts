import type { GetPromptResult } from "@tenon/protocol";

import { useQuery, type Loaded } from "./query.ts";
import type { ServerConnection } from "./server-store.ts";

/**
 * Has a prompt filled in, and again when its arguments change.
 *
 * @param name - With `undefined`, no prompt is requested.
 */
export function usePrompt(
  server: ServerConnection,
  name: string | undefined,
  args?: Readonly<Record<string, string>>,
): Loaded<GetPromptResult> {
  return useQuery(
    server,
    (session) =>
      name === undefined
        ? undefined
        : { load: (signal) => session.getPrompt({ name, ...(args && { arguments: args }) }, { signal }) },
    // Components make the arguments again in each render.
    [name, JSON.stringify(args)],
  );
}
