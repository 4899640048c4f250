import { isRecord } from "@tenon/base";

import { sha256, toBase64url } from "../../shared/base64url.ts";
import { stored, type Setting } from "../setting.ts";

/** The kinds of values in a store. */
export type RecordKind = "tokens" | "registration" | "flow";

/** The record of a client about its access to one MCP server. */
export interface TokenRecord {
  /** Identifies this set of tokens: refreshed tokens have another. */
  readonly id: string;
  /** Identifies the login that the tokens come from: refreshed tokens have the same. */
  readonly login: string;
  /** Counts the sets of tokens. */
  readonly count: number;
  readonly issuer: string;
  readonly resource?: string | undefined;
  readonly clientId: string;
  /** The key of the client's registration, if it is dynamic. */
  readonly registration?: string | undefined;
  readonly tokenEndpoint: string;
  /** `token_endpoint_auth_methods_supported`. */
  readonly methods?: readonly string[] | undefined;
  readonly revocationEndpoint?: string | undefined;
  readonly accessToken: string;
  readonly isBound: boolean;
  readonly refreshToken?: string | undefined;
  /** The granted scopes. */
  readonly scopes: readonly string[];
  /** The scopes that were requested, in this and in earlier authorizations. */
  readonly asked: readonly string[];
  /** The scopes that operations have required since, for the next login. */
  readonly wanted?: readonly string[] | undefined;
  /** In milliseconds since 1970. */
  readonly receivedAt: number;
  readonly expiresAt?: number | undefined;
  /** The private key of bound tokens, if it can be stored. */
  readonly proofKey?: string | undefined;
  readonly thumbprint?: string | undefined;
  /** Since when, in milliseconds since 1970, the refresh token is being presented. */
  readonly presentedAt?: number | undefined;
  /**
   * The authorization server has rejected the refresh token. The record is kept for a process
   * that may have its successor; only a logout deletes it.
   */
  readonly isRejected?: boolean | undefined;
}

/** A client that an authorization server has registered. */
export interface RegistrationRecord {
  readonly clientId: string;
  readonly secret?: string | undefined;
  readonly method: string;
  /** In milliseconds since 1970. */
  readonly secretExpiresAt?: number | undefined;
  readonly redirectUris: readonly string[];
  readonly managementUri?: string | undefined;
  readonly managementToken?: string | undefined;
  /**
   * When the authorization server rejected these credentials for the first time, in milliseconds
   * since 1970.
   */
  readonly rejectedAt?: number | undefined;
  /**
   * The key of the client's own record. Logins read it here, and tokens have it, because later
   * logins may use another client.
   */
  readonly own?: string | undefined;
  /** The keys of earlier clients, whose tokens may be in use still. */
  readonly former?: readonly string[] | undefined;
  /** When the client was accepted, within a day, in milliseconds since 1970. */
  readonly usedAt?: number | undefined;
}

/** A login that waits for its response. */
export interface FlowRecord {
  readonly server: string;
  readonly account: string;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string | undefined;
  readonly declaresIss: boolean;
  readonly methods?: readonly string[] | undefined;
  readonly clientId: string;
  readonly registration?: string | undefined;
  readonly redirectUri: string;
  readonly resource?: string | undefined;
  readonly scopes: readonly string[];
  readonly verifier: string;
  readonly proofKey?: string | undefined;
  readonly thumbprint?: string | undefined;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
}

interface Kinds {
  readonly tokens: TokenRecord;
  readonly registration: RegistrationRecord;
  readonly flow: FlowRecord;
}

/** How often a record is written while other processes change it. */
export const maxWrites = 8;
const version = 1;
const maxLength = 65_536;
/** The properties without which a record of a kind is useless. */
const required: { readonly [K in RecordKind]: readonly (keyof Kinds[K])[] } = {
  tokens: ["id", "login", "count", "issuer", "clientId", "tokenEndpoint", "accessToken", "receivedAt"],
  registration: ["clientId", "method"],
  flow: ["server", "issuer", "tokenEndpoint", "clientId", "redirectUri", "verifier", "createdAt"],
};
/** The properties that are lists of strings in every kind that has them. */
const listed: readonly string[] = ["scopes", "asked", "wanted", "redirectUris", "methods", "former"];

/** Returns the key of a record. Its parts are hashed, so that nothing secret is in it. */
export async function recordKey(kind: RecordKind, parts: readonly string[]): Promise<string> {
  return `${kind}.${await sha256(JSON.stringify(parts))}`;
}

/** Returns random bytes in base64url. */
export function randomText(bytes = 32): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/**
 * Reads a record. A value of another version, or one that is damaged, is treated as absent, but
 * with its generation.
 */
export async function readRecord<K extends RecordKind>(
  setting: Setting,
  kind: K,
  key: string,
): Promise<{ readonly value: Kinds[K] | undefined; readonly generation: number | "absent" }> {
  const found = await stored(setting, (store) => store.get(key));
  return found === undefined
    ? { value: undefined, generation: "absent" }
    : { value: parse(kind, found.value), generation: found.generation };
}

/** Writes a record. @throws `AuthError` `AUTH_STORE_FAILED`. */
export function writeRecord(
  setting: Setting,
  key: string,
  value: Kinds[RecordKind],
  options: { readonly ifGeneration?: number | "absent"; readonly expiresAt?: number } = {},
): Promise<number | "conflict"> {
  return stored(setting, (store) => store.put(key, JSON.stringify({ version, ...value }), options));
}

/** Deletes a record. @returns Whether it existed. @throws `AuthError` `AUTH_STORE_FAILED`. */
export function deleteRecord(
  setting: Setting,
  key: string,
  options?: { readonly ifGeneration?: number },
): Promise<boolean> {
  return stored(setting, (store) => store.delete(key, options));
}

function parse<K extends RecordKind>(kind: K, text: string): Kinds[K] | undefined {
  try {
    const value: unknown = text.length <= maxLength ? JSON.parse(text) : undefined;
    const isUsable =
      isRecord(value) &&
      value["version"] === version &&
      required[kind].every((name) => value[name as string] !== undefined) &&
      listed.every((name) => value[name] === undefined || isStrings(value[name]));
    // A type parameter cannot be narrowed: the properties that the kind requires were checked
    // above.
    return isUsable
      ? ({ scopes: [], asked: [], redirectUris: [], ...value } as unknown as Kinds[K])
      : undefined;
  } catch {
    return undefined;
  }
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
