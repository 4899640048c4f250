import { stateKey, type StateKey } from "../../../base/state.ts";
import { hasCapability } from "../../../request/capabilities.ts";
import type { InnerServerSession } from "../../../request/server/session.ts";
import { wants, type Listen } from "./listens.ts";
import type { Outlet } from "./outlet.ts";

/** The subscriptions of a legacy session, and the function that notifies it. */
export interface LegacySubscriptions {
  /** By canonical URI: the spelling of the client, which its notifications have. */
  readonly uris: Map<string, string>;
  /** How many more there will be if the server's hook, which is being asked, allows them. */
  starting: number;
  /** By URI: the client's last request about it, while it is being handled. */
  readonly turns: Map<string, Promise<unknown>>;
  outlet: Outlet | undefined;
}

/** The state of {@link LegacySubscriptions}. */
export const legacySubscriptions: StateKey<LegacySubscriptions> = stateKey(() => ({
  uris: new Map<string, string>(),
  starting: 0,
  turns: new Map<string, Promise<unknown>>(),
  outlet: undefined,
}));

/** Whether a listen asks for a change. @param uri - Canonical. */
export function isWanted(listen: Listen, method: string, uri: string | undefined): boolean {
  return wants(listen, listen.request.rules.methods[method]?.filter, uri);
}

/**
 * Whether a legacy session is notified: of a resource if it subscribed, of a list if `listChanged`
 * was declared to it.
 *
 * @param uri - Canonical.
 * @source
 */
export function isConcerned(session: InnerServerSession, method: string, uri: string | undefined): boolean {
  if (!session.initialized) {
    return false;
  }
  if (uri !== undefined) {
    return session.state.peek(legacySubscriptions)?.uris.has(uri) === true;
  }
  const path = session.rules?.methods[method]?.requires?.server;
  return path === undefined || hasCapability(session.capabilities ?? {}, path);
}
