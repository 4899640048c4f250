import { fetchWire } from "../fetch-wire.ts";
import type { Wire } from "../wire.ts";

/** The platform's own `fetch`. */
export const platformWire: Wire = /* @__PURE__ */ fetchWire((input, init) => fetch(input, init));
