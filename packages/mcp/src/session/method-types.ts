import type { Methods } from "@tenon/protocol";

import type { RequestOptions } from "./request-options.ts";

/** A request of the protocol. */
export type Method = keyof Methods;

/** What a request takes. */
export type ParamsOf<M extends Method> = Methods[M]["params"];

/** What a request is answered with in the end. */
export type ResultOf<M extends Method> = Methods[M]["result"];

/** Options of a request whose input the caller gives: it may be answered by an `InputRequiredResult`. */
export type ByHand = RequestOptions & { readonly autoFulfil: false };
