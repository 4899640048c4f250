import { isHttpError } from "@tenon/http/client";
import { expect, test } from "vitest";

import { createOAuth, isAuthError, memoryStore, type AuthStore, type OAuthOptions } from "../src/client.ts";
import { passing, setUp } from "./setup.ts";

/** What can happen to one request. */
const faults: Readonly<Record<string, (signal: AbortSignal) => Promise<Response>>> = {
  refused: () =>
    Promise.reject(Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } })),
  reset: () =>
    Promise.reject(Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } })),
  silent: (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    }),
  down: async () => new Response("down", { status: 503 }),
  html: async () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  empty: async () => new Response("{}", { headers: { "content-type": "application/json" } }),
};

/** The requests of a login, a call, a refresh and a call. */
const requests = 9;

test.each(Object.keys(faults))(
  "whichever request of a login and a refresh is %s, the outcome is typed, and the next attempt succeeds",
  async (name) => {
    for (let nth = 1; nth <= requests; nth++) {
      let count = 0;
      const { servers, provider, clock } = setUp({ rotates: false }, (scripted): Partial<OAuthOptions> => ({
        fetch: (input, init) =>
          ++count === nth && init.signal instanceof AbortSignal
            ? (faults[name]?.(init.signal) ?? Promise.reject(new Error("no fault")))
            : scripted.fetch(input, init),
      }));
      for (const isLast of [false, true, false, true]) {
        const outcome: unknown = await passing(clock, servers.call(provider)).catch(
          (error: unknown) => error,
        );
        if (isLast) {
          expect(outcome, `request ${nth}`).toEqual({ status: 200, body: "ok" });
          clock.advance(3_600_001);
        } else {
          const isTyped = !(outcome instanceof Error) || isAuthError(outcome) || isHttpError(outcome);
          expect(isTyped, `request ${nth}`).toBe(true);
          clock.advance(200_000);
        }
      }
      expect(provider.status.state).toBe("authorized");
      expect(servers.of("authorize").length).toBeLessThanOrEqual(2);
    }
  },
);

test("whichever operation of the store fails, the outcome is typed, and the next attempt succeeds", async () => {
  for (let nth = 1; nth <= 24; nth++) {
    let count = 0;
    const store = memoryStore();
    const failing = <T>(work: () => Promise<T>): Promise<T> =>
      ++count === nth ? Promise.reject(new Error("disk")) : work();
    const shaky: AuthStore = {
      get: (key) => failing(() => store.get(key)),
      put: (key, value, options) => failing(() => store.put(key, value, options)),
      delete: (key, options) => failing(() => store.delete(key, options)),
      lock: (key, signal) => failing(() => store.lock?.(key, signal) ?? Promise.reject(new Error("no lock"))),
    };
    const { servers, options, clock } = setUp({}, { store: shaky });
    const provider = createOAuth(options);
    for (let call = 0; call < 4; call++) {
      const outcome: unknown = await passing(clock, servers.call(provider)).catch((error: unknown) => error);
      if (isAuthError(outcome)) {
        expect(outcome.code, `operation ${nth}`).toBe("AUTH_STORE_FAILED");
        clock.advance(5000);
      } else {
        expect(outcome, `operation ${nth}`).toEqual({ status: 200, body: "ok" });
        clock.advance(3_600_001);
      }
    }
    expect(servers.tokens.reuses, `operation ${nth}`).toBe(0);
    expect((await passing(clock, servers.call(provider))).status, `operation ${nth}`).toBe(200);
  }
});
