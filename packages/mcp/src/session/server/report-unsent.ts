import type { PeerOptions } from "@tenon/jsonrpc2";

import { lazy, type Lazy } from "../../base/lazy.ts";
import type * as unsentModule from "./unsent.lazy.ts";

const explaining: Lazy<typeof unsentModule> = lazy(() => import("./unsent.lazy.ts"));

/**
 * Reports each response that was not sent, with an explanation. Such responses are rare, so the
 * code that explains them is loaded for the first of them.
 *
 * @param onError - Called when the explanation has been loaded.
 * @returns The hook for the peers of a server.
 */
export function reportUnsent(onError: (error: unknown) => void): NonNullable<PeerOptions["onUnsent"]> {
  return (...unsent) => {
    void explaining.use(({ explain }) => onError(explain(...unsent)));
  };
}
