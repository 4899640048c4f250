import type { PeerOptions } from "@tenon/jsonrpc2";

import { lazy, type Lazy } from "../../base/lazy.ts";
import type * as unsentModule from "./unsent.lazy.ts";

const explaining: Lazy<typeof unsentModule> = lazy(() => import("./unsent.lazy.ts"));

/**
 * Reports each response that was not sent, with an explanation.
 *
 * @param onError - Called when the explanation has been loaded.
 */
export function reportUnsent(onError: (error: unknown) => void): NonNullable<PeerOptions["onUnsent"]> {
  return (...unsent) => {
    void explaining.use(({ explain }) => onError(explain(...unsent)));
  };
}
