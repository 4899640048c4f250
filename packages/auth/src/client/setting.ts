import { inTime, unlessAborted, type Clock, type ResolvedLimits } from "@tenon/base";

import { AuthError, type AuthErrorCode, type AuthErrorOptions } from "../shared/error.ts";
import type { UrlRules } from "./discover/url.ts";
import type { AuthEvent } from "./events.ts";
import type { Nonces } from "./proof/nonces.ts";
import type { Requests } from "./requests.ts";
import type { AuthStore } from "./tokens/store.ts";

/** A {@link Clock} that also knows the date. */
export interface AuthClock extends Clock {
  /** Milliseconds since 1970. Default: `Date.now`. */
  date?(): number;
}

/** Limits of an `OAuthProvider`. */
export interface AuthLimits {
  /** Maximum time for one request of discovery, in milliseconds. Default: `5_000`. */
  readonly discoveryTimeoutMs?: number | undefined;
  /** Maximum time for one token request, in milliseconds. Default: `15_000`. */
  readonly tokenTimeoutMs?: number | undefined;
  /**
   * Maximum time between the start of a login and its response, in milliseconds. Default:
   * `600_000` (10 minutes).
   */
  readonly flowTimeoutMs?: number | undefined;
}

/**
 * Maximum wait of a logout, or of the end of a provider, for logins, in milliseconds. Functions of
 * the program may ignore their signal, and users may not respond.
 */
export const maxEndMs = 5000;

/** Waits until work has ended, but not longer than `ms` milliseconds. */
export async function ended(
  { clock }: Pick<Setting, "clock">,
  work: Iterable<unknown>,
  ms: number = maxEndMs,
): Promise<void> {
  await inTime(Promise.allSettled(work), ms, { expired: () => [], clock });
}

/** As `unlessAborted`. A resource that is opened too late is closed. */
export async function opened<T extends AsyncDisposable | undefined>(
  opening: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return unlessAborted(opening, signal).catch((error: unknown) => {
    opening.then((late) => late?.[Symbol.asyncDispose]()).catch(() => {});
    throw error;
  });
}

/** The values that all parts of one provider share. */
export interface Setting {
  readonly endpoint: URL;
  /** Identifies the server in the store. */
  readonly id: string;
  /** The endpoint without its query, for errors. */
  readonly server: string;
  readonly account: string;
  readonly rules: UrlRules;
  readonly requests: Requests;
  readonly nonces: Nonces;
  readonly store: AuthStore;
  /**
   * The clients that are recognized only by an identifier in the form, by issuer and identifier.
   */
  readonly unrecognizedClients: Set<string>;
  /** The keys of the logins that were started here and not finished. */
  readonly flows: Set<string>;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly isStrict: boolean;
  readonly limits: ResolvedLimits<AuthLimits>;
  readonly emit: (event: AuthEvent) => void;
  /** Whether `onEvent` is set. */
  readonly isHeard: boolean;
}

/** Returns an error that names the server. */
export function failure(
  { server }: Pick<Setting, "server">,
  code: AuthErrorCode,
  message: string,
  options: AuthErrorOptions = {},
): AuthError {
  return new AuthError(code, message, { server, ...options });
}

/** Reports a departure that was tolerated. */
export function warn({ emit }: Setting, message: string): void {
  emit({ type: "warning", message });
}

/**
 * A value from a server, quoted for an error or a warning: without control characters, and
 * shortened.
 */
export function quoted(value: unknown, maxLength = 256): string {
  const text = typeof value === "string" ? value : typeof value;
  return JSON.stringify(text.slice(0, maxLength).replace(/[^\x20-\x7e]/g, " "));
}

/** A description from a server, quoted without anything that could be a token or a code. */
export function harmless(value: string): string {
  return quoted(value).replace(/[\w.~+/%-]{16,}=*/g, "…");
}

/** Runs an operation of the store. @throws `AuthError` `AUTH_STORE_FAILED`. */
export async function stored<T>(setting: Setting, operation: (store: AuthStore) => Promise<T>): Promise<T> {
  try {
    return await operation(setting.store);
  } catch (cause) {
    throw failure(
      setting,
      "AUTH_STORE_FAILED",
      "The store of tokens failed. Check that it can be read and written.",
      { cause },
    );
  }
}

/** Maximum number of strings in a list of a document. */
const maxList = 1000;

/**
 * The strings of a list from a server that are not empty, or `undefined` if it is not a list.
 */
export function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value)
    ? value.slice(0, maxList).filter((item): item is string => typeof item === "string" && item !== "")
    : undefined;
}
