import type { HeadersLike } from "@tenon/http/client";
import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";

import {
  authorizationCode,
  createOAuth,
  type AuthEvent,
  type OAuthOptions,
  type OAuthProvider,
} from "../src/client.ts";
import {
  createScriptedAuthorization,
  type ScriptedAuthorization,
  type ScriptedOptions,
  type ScriptedStep,
} from "../src/testing.ts";

/** The headers that a provider adds to a request to its server. */
export async function headersOf(provider: OAuthProvider, server: string): Promise<HeadersLike | undefined> {
  return provider.headers({ url: new URL(server), method: "POST", signal: new AbortController().signal });
}

/** Resolves when the person was sent to the page of the authorization server. */
export async function visited(events: readonly AuthEvent[]): Promise<void> {
  while (!events.some(({ type }) => type === "visit")) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A promise, and the function that resolves it. */
export function openPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Runs all pending work that does not depend on the clock. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Resolves when a scripted server receives its next request of a step. */
export async function received(servers: ScriptedAuthorization, step: ScriptedStep): Promise<void> {
  for (const before = servers.of(step).length; servers.of(step).length === before;) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A provider and the servers that it talks to, in virtual time. */
export interface Setup {
  readonly clock: VirtualClock & { date(): number };
  readonly servers: ScriptedAuthorization;
  readonly provider: OAuthProvider;
  readonly events: readonly AuthEvent[];
  /** Options of another provider for the same servers. */
  readonly options: OAuthOptions;
}

/** A clock whose date follows its time, and can be set. */
export function createTestClock(): VirtualClock & { date(): number; offset: number } {
  const clock = createVirtualClock();
  // The getter of `timers` must stay one.
  return Object.assign(Object.create(clock) as VirtualClock, {
    offset: 1_700_000_000_000,
    date(this: { offset: number }) {
      return this.offset + clock.now();
    },
  });
}

export function setUp(
  scripted: Partial<ScriptedOptions> = {},
  oauth: Partial<OAuthOptions> | ((servers: ScriptedAuthorization) => Partial<OAuthOptions>) = {},
): Setup & { readonly clock: ReturnType<typeof createTestClock> } {
  const clock = createTestClock();
  const servers = createScriptedAuthorization({ clock, ...scripted });
  const events: AuthEvent[] = [];
  const options: OAuthOptions = {
    server: servers.server,
    grant: authorizationCode(servers.browser()),
    fetch: servers.fetch,
    clock,
    random: () => 0,
    interactive: true,
    onEvent: (event) => events.push(event),
    ...(typeof oauth === "function" ? oauth(servers) : oauth),
  };
  return { clock, servers, provider: createOAuth(options), events, options };
}

/**
 * Lets virtual time pass until a promise settles. Real work, such as hashing, gets its turn before
 * each step: other threads do it, so a hash shows how busy they are.
 */
export async function passing<T>(clock: VirtualClock, promise: Promise<T>, stepMs = 250): Promise<T> {
  let isSettled = false;
  const end = (): void => {
    isSettled = true;
  };
  promise.then(end, end);
  for (;;) {
    for (let turn = 0; turn < 4; turn++) {
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
      await crypto.subtle.digest("SHA-256", new Uint8Array(8));
    }
    if (isSettled) {
      return promise;
    }
    clock.advance(stepMs);
  }
}
