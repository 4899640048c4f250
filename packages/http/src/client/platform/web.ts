import { fetchWire, type FetchLike } from "../fetch-wire.ts";
import type { Wire } from "../wire.ts";

/** The platform's own `fetch`. */
export const environmentFetch: FetchLike = (input, init) => fetch(input, init);

/** The platform's own `fetch`. */
export const platformWire: Wire = /* @__PURE__ */ fetchWire(environmentFetch);

/** Proxies can be chosen on Node only. @throws `TypeError` */
export function proxyFetch(_: string | false): FetchLike {
  throw new TypeError("proxyFetch works on Node only. Configure the proxy of the platform.");
}
