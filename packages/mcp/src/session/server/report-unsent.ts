import type { Answered, PeerOptions, Response } from "@tenon/jsonrpc2";

import { lazy, type Lazy } from "../../base/lazy.ts";
import type * as unsentModule from "./unsent.lazy.ts";

const explaining: Lazy<typeof unsentModule> = lazy(() => import("./unsent.lazy.ts"));

/**
 * Reports each response that was not sent, with an explanation. Such responses are rare, so the
 * code that explains them is loaded for the first of them.
 *
 * @param onError - Called when the explanation has been loaded.
 * @param insteadOf - Returns the result to send in place of one that JSON cannot carry, if there is
 *   a better one than an internal error.
 * @returns The hook for the peers of a server.
 */
export function reportUnsent(
  onError: (error: unknown) => void,
  insteadOf: (request: Answered, response: Response) => object | undefined,
): NonNullable<PeerOptions["onUnsent"]> {
  return (request, response, error) => {
    void explaining.use(({ explain }) => onError(explain(request, response, error)));
    return insteadOf(request, response);
  };
}
