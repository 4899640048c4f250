import type { SubscriptionFilter } from "@tenon/protocol";

import { stateKey } from "../../../base/state.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { Outlet } from "./outlet.ts";

/** One running `subscriptions/listen`. */
export interface Listen {
  readonly request: InnerServerRequest;
  readonly filter: SubscriptionFilter;
  /** The resources of the filter, by canonical URI: the spelling of the client. */
  readonly uris: ReadonlyMap<string, string>;
  readonly outlet: Outlet;
  /** Ends the subscription normally: the client gets a result. */
  end(): void;
}

/**
 * The listens of a session. They are told apart by identity, never by id: clients of one server may
 * use the same ids.
 *
 * @source T-34
 */
export const listens: { readonly create: () => Set<Listen> } = stateKey(() => new Set<Listen>());

/** True if this listen asks for a change. @param uri - Canonical. */
export function wants({ filter, uris }: Listen, field: string | undefined, uri: string | undefined): boolean {
  return uri === undefined ? field !== undefined && Reflect.get(filter, field) === true : uris.has(uri);
}
