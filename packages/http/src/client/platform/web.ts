import { fetchWire } from "../fetch-wire.ts";
import type { Wire } from "../wire.ts";

/** The platform's own `fetch`. */
export const platformWire: Wire = fetchWire((input, init) => fetch(input, init));
