import type { ServerMetadata } from "../discover/metadata.ts";

/** Maximum number of scopes that are requested, and of characters in one of them. */
const maxScopes = 100;
const maxScopeLength = 256;

/**
 * `offline_access` asks for a refresh token. Clients add it themselves; a server that asks for it
 * is ignored. @source R-731; R-758
 */
const offline = "offline_access";

/** Reads a list of scopes from a server. `undefined` if it is absent, malformed or too long. */
export function readScopes(value: string | undefined): readonly string[] | undefined {
  const scopes = value?.split(" ").filter((scope) => scope !== "") ?? [];
  const isValid =
    scopes.length > 0 &&
    scopes.length <= maxScopes &&
    scopes.every((scope) => scope.length <= maxScopeLength && /^[!#-[\]-~]+$/.test(scope));
  return isValid ? union(scopes) : undefined;
}

/** Returns all scopes of several lists, each once, in the order of their first occurrence. */
export function union(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** Names the scopes of a list that another list lacks, for messages: at most five of them. */
export function lacking(part: readonly string[], whole: readonly string[] = []): string {
  const all = part.filter((scope) => !whole.includes(scope));
  return all.slice(0, 5).join(", ");
}

/** Whether every scope of a list is in another list. */
export function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((scope) => whole.includes(scope));
}

/**
 * Maximum number and total length of the scopes that servers may add to a login. The URL of a login
 * has a limit of its own.
 */
const maxAdded = 100;
const maxAddedLength = 4096;

/** Returns the first list of scopes that is short enough for a login; an empty one if none is. */
export function firstFitting(...lists: readonly (readonly string[])[]): readonly string[] {
  return lists.find((list) => list.length <= maxAdded && list.join(" ").length <= maxAddedLength) ?? [];
}

/** The source of the scopes of an authorization. */
export interface ScopeSources {
  /** The scopes that the user of the library has configured. They replace all others. */
  readonly configured: readonly string[] | undefined;
  /** The scopes of the challenge. */
  readonly challenged: readonly string[] | undefined;
  /** `scopes_supported` of the resource. */
  readonly supported: readonly string[] | undefined;
  /**
   * The scopes of earlier authorizations, and the scopes that operations have turned out to
   * require.
   */
  readonly required: readonly string[];
  readonly offlineAccess: boolean;
}

/** Chooses the scopes to request. An empty list: the parameter is omitted. @source R-756; R-757 */
export function chooseScopes(sources: ScopeSources, server: ServerMetadata): readonly string[] {
  const { configured, challenged, supported, required, offlineAccess } = sources;
  const fromServer = (challenged ?? supported ?? []).slice(0, maxScopes).filter((scope) => scope !== offline);
  const chosen = union(
    configured ?? fromServer,
    required.filter((scope) => scope !== offline),
  );
  const isOffline = offlineAccess && server.scopes_supported?.includes(offline) === true;
  return isOffline ? union(chosen, [offline]) : chosen;
}
