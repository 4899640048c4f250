/** The code that a server needs from the first subscription of a client on. */
export { Delivery } from "./delivery.ts";
export { endListens } from "./end-listens.ts";
export { listen } from "./listen.ts";
export { subscribe, unsubscribe } from "./subscribe.ts";
