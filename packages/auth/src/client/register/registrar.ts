import type { ServerMetadata } from "../discover/metadata.ts";
import type { Setting } from "../setting.ts";
import type { ClientIdentity } from "../tokens/token-request.ts";
import type { ClientRegistration } from "./client-registration.ts";

/** Finds the client's identity at an authorization server. */
export interface Registrar {
  /**
   * Returns the identity of this client, and registers it if necessary.
   *
   * @param redirectUri - Where the response will be received; `undefined` for the device grant,
   *   which has none.
   * @throws `AuthError`: `REGISTRATION_UNAVAILABLE`, `REGISTRATION_REJECTED`, `ISSUER_CHANGED`,
   *   `LIMIT` or `AUTH_TEMPORARY`.
   * @source R-742; R-747
   */
  identify(
    server: ServerMetadata,
    redirectUri: string | undefined,
    signal: AbortSignal,
  ): Promise<ClientIdentity>;
  /**
   * Returns the client that was registered in advance, for grants without a user. @throws
   * `AuthError` as `identify`.
   */
  preregistered(issuer: string, signal: AbortSignal): Promise<ClientIdentity>;
  /**
   * Returns the identity that tokens were issued to, or `undefined` if this client has it no
   * longer.
   *
   * @throws `signal.reason` if the user is still asked for the client.
   */
  recall(
    issuer: string,
    clientId: string,
    registration: string | undefined,
    signal?: AbortSignal,
  ): Promise<ClientIdentity | undefined>;
  /** Returns the redirect URIs of the registration that `identify` would use, if there is one. */
  redirectUris(issuer: string, redirectClass: string): Promise<readonly string[]>;
  /**
   * Whether this client has credentials for an issuer, without registering: a dynamic registration
   * counts.
   */
  isKnown(issuer: string): Promise<boolean>;
  /**
   * Notes that the credentials were rejected. @returns Whether the registration was deleted: only a
   * dynamic registration is, and only by the second rejection.
   */
  reject(client: ClientIdentity): Promise<"kept" | "suspected" | "deleted">;
  /** Forgets the client of `requestClient`, because it was rejected. */
  rejected(): void;
  /** Notes that the credentials were accepted, which ends a suspicion. */
  accept(client: ClientIdentity): Promise<void>;
  /**
   * Deletes the registration of a client, here and, if possible, at the authorization server. A
   * failure there is reported as a warning.
   */
  forget(registration: string, signal: AbortSignal): Promise<void>;
}

/**
 * Creates a {@link Registrar}. Its code is loaded when it is first used: a client with fresh tokens
 * needs none.
 */
export function createRegistrar(setting: Setting, options: ClientRegistration): Registrar {
  let loading: Promise<Registrar> | undefined;
  const loaded = (): Promise<Registrar> => {
    loading ??= import("../upkeep.lazy.ts").then(
      ({ registrarOf }) => registrarOf(setting, options),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  return {
    identify: async (...args) => (await loaded()).identify(...args),
    preregistered: async (...args) => (await loaded()).preregistered(...args),
    recall: async (...args) => (await loaded()).recall(...args),
    redirectUris: async (...args) => (await loaded()).redirectUris(...args),
    isKnown: async (...args) => (await loaded()).isKnown(...args),
    // Without its code no client was requested.
    rejected: () => {
      loading?.then(
        (registrar) => registrar.rejected(),
        () => {},
      );
    },
    reject: async (...args) => (await loaded()).reject(...args),
    accept: async (...args) => (await loaded()).accept(...args),
    forget: async (...args) => (await loaded()).forget(...args),
  };
}
