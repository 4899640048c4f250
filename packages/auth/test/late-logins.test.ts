import { expect, test } from "vitest";

import { authorizationCode, createOAuth, deviceCode, memoryStore, type OAuthOptions } from "../src/client.ts";
import { headersOf, openPromise, passing, setUp, turns } from "./setup.ts";

/** A provider whose logins never end. `begun` resolves when the first of them has begun. */
function setUpEndless() {
  const waiting = openPromise();
  const setup = setUp({}, (scripted) => ({
    interactive: "onLogin",
    grant: {
      ...authorizationCode(scripted.browser()),
      obtain() {
        waiting.resolve();
        return new Promise<never>(() => {});
      },
    },
  }));
  return { ...setup, begun: waiting.promise };
}

test("a login that is cancelled when its tokens arrive stores none of them, and revokes them", async () => {
  const own = new AbortController();
  const { servers, provider } = setUp({}, (scripted) => {
    const grant = authorizationCode(scripted.browser());
    return {
      interactive: "onLogin",
      grant: {
        ...grant,
        async obtain(context) {
          const issued = await grant.obtain(context);
          own.abort(new Error("The person cancels."));
          return issued;
        },
      },
    };
  });
  await expect(provider.login({ signal: own.signal })).rejects.toThrow("The person cancels.");
  await provider.close();
  expect(await headersOf(provider, servers.server)).toBeUndefined();
  expect(servers.of("revoke")).toHaveLength(2);
});

test("a logout after a cancelled login and its close deletes the tokens that were being written", async () => {
  const store = memoryStore();
  const [writing, mayWrite] = [openPromise(), openPromise()];
  const order: string[] = [];
  const { servers, provider, options } = setUp(
    {},
    {
      interactive: "onLogin",
      store: {
        ...store,
        async put(key, value, conditions) {
          if (key.startsWith("tokens.")) {
            writing.resolve();
            await mayWrite.promise;
            order.push("written");
          }
          return store.put(key, value, conditions);
        },
      },
    },
  );
  const own = new AbortController();
  const login = provider.login({ signal: own.signal }).catch((error: unknown) => error);
  await writing.promise;
  own.abort(new Error("The person logs out."));
  expect(await login).toBe(own.signal.reason);
  const closed = provider.close().then(() => order.push("closed"));
  await turns();
  mayWrite.resolve();
  await closed;
  expect(order).toEqual(["written", "closed"]);
  await createOAuth({ ...options, store }).logout();
  expect(await headersOf(createOAuth({ ...options, store }), servers.server)).toBeUndefined();
});

test("an authorization response that arrives during a logout logs nobody in", async () => {
  const redirectUri = "https://app.example/callback";
  const { servers, provider, clock } = setUp(
    {},
    { interactive: "onLogin", grant: authorizationCode({ redirectUri }) },
  );
  const visited = async (): Promise<URLSearchParams> => servers.visit((await provider.begin()).url);
  await provider.finish(await visited());
  const callback = await visited();
  servers.script.next("revoke", { delayMs: 3000 });
  const logout = provider.logout();
  await turns();
  const finished = provider.finish(callback).catch((error: unknown) => error);
  await passing(clock, logout);
  expect(await passing(clock, finished)).toMatchObject({ code: "RESPONSE_INVALID" });
  expect(await headersOf(provider, servers.server)).toBeUndefined();
});

test("a login that starts during a logout waits for its end, and succeeds", async () => {
  const { servers, provider, clock } = setUp({}, { interactive: "onLogin" });
  await provider.login();
  const logout = provider.logout();
  const login = provider.login();
  await passing(clock, Promise.all([logout, login]));
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.of("authorize")).toHaveLength(2);
});

test.each<
  [
    string,
    (wait: () => Promise<never>) => [metadata: Record<string, unknown>, options: Partial<OAuthOptions>],
  ]
>([
  [
    "a client",
    (wait) => [{ registration_endpoint: undefined }, { client: { metadata: false, requestClient: wait } }],
  ],
  [
    "a code that is shown",
    (wait) => [
      { device_authorization_endpoint: "https://as.example/device" },
      { grant: deviceCode({ show: wait }) },
    ],
  ],
  ["a receiver", (wait) => [{}, { grant: authorizationCode({ receiver: { open: wait } }) }]],
  [
    "a grant that ignores its signal",
    (wait) => [{}, { grant: { ...authorizationCode({ receiver: { open: wait } }), obtain: wait } }],
  ],
])("a provider closes, and logs out, while its program waits for %s", async (_, choose) => {
  for (const end of ["close", "logout"] as const) {
    const waiting = openPromise();
    const wait = (): Promise<never> => {
      waiting.resolve();
      return new Promise<never>(() => {});
    };
    const [metadata, options] = choose(wait);
    const { servers, provider, clock } = setUp({ metadata }, { interactive: "onLogin", ...options });
    const url = "https://as.example/device";
    servers.script.next("device", {
      body: { device_code: "d", user_code: "u", verification_uri: url, expires_in: 60 },
    });
    const login = provider.login().catch((error: unknown) => error);
    await passing(clock, Promise.race([waiting.promise, login]));
    await passing(clock, provider[end]());
    expect(await login).toMatchObject({ code: "NEEDS_USER" });
  }
});

test("a login after a logout does not wait for a login that never ends", async () => {
  let obtained = 0;
  const waiting = openPromise();
  const { servers, provider, clock } = setUp({}, (scripted) => {
    const grant = authorizationCode(scripted.browser());
    return {
      interactive: "onLogin",
      grant: {
        ...grant,
        obtain(context) {
          if (obtained++ > 0) {
            return grant.obtain(context);
          }
          waiting.resolve();
          return new Promise<never>(() => {});
        },
      },
    };
  });
  const first = provider.login().catch((error: unknown) => error);
  await waiting.promise;
  await passing(clock, provider.logout());
  expect(await first).toMatchObject({ code: "NEEDS_USER" });
  await passing(clock, provider.login());
  expect((await servers.call(provider)).status).toBe(200);
});

test("a login that ends after its logout changes nothing of the next login", async () => {
  const [waiting, second, release] = [openPromise(), openPromise(), openPromise()];
  let fail: (error: Error) => void = () => {};
  let obtained = 0;
  const { provider, clock } = setUp({}, (scripted) => {
    const grant = authorizationCode(scripted.browser());
    return {
      interactive: "onLogin",
      grant: {
        ...grant,
        async obtain(context) {
          if (obtained++ > 0) {
            second.resolve();
            await release.promise;
            return grant.obtain(context);
          }
          waiting.resolve();
          return new Promise<never>((_, reject) => {
            fail = reject;
          });
        },
      },
    };
  });
  const first = provider.login().catch((error: unknown) => error);
  await waiting.promise;
  await passing(clock, provider.logout());
  await first;
  const heard: boolean[] = [];
  const login = provider.login();
  await passing(clock, second.promise);
  provider.waiting?.((isWaiting) => heard.push(isWaiting));
  fail(new Error("The window was closed."));
  await turns();
  expect([provider.status.state, heard]).toEqual(["authorizing", [true]]);
  release.resolve();
  await passing(clock, login);
  expect(heard).toEqual([true, false]);
});

test("a login that never ends is over for listeners after a logout", async () => {
  const { provider, clock, begun } = setUpEndless();
  const heard: boolean[] = [];
  provider.waiting?.((isWaiting) => heard.push(isWaiting));
  const login = provider.login().catch((error: unknown) => error);
  await begun;
  await passing(clock, provider.logout());
  await login;
  expect([heard, provider.status.state]).toEqual([[true, false], "needs-user"]);
});

test("a close after a logout does not wait again for a login that never ends", async () => {
  const { provider, clock, begun } = setUpEndless();
  const login = provider.login().catch((error: unknown) => error);
  await begun;
  await passing(clock, provider.logout());
  await login;
  const closed = provider.close().then(() => "closed");
  expect(await Promise.race([closed, turns()])).toBe("closed");
});

test("a login that begins during a logout is ended by the next logout", async () => {
  const { provider, clock, begun } = setUpEndless();
  provider.login().catch(() => {});
  await begun;
  const logout = provider.logout();
  const login = provider.login().catch((error: unknown) => error);
  await passing(clock, logout);
  await passing(clock, provider.logout());
  expect(await login).toMatchObject({ code: "NEEDS_USER" });
});

test("the status after a close during a login names the close, and not a logout", async () => {
  const { provider, clock, begun } = setUpEndless();
  const login = provider.login().catch((error: unknown) => error);
  await begun;
  await passing(clock, provider.close());
  const closed = { code: "NEEDS_USER", message: "The provider was closed." };
  expect(await login).toMatchObject(closed);
  expect(provider.status).toMatchObject({ state: "needs-user", error: closed });
});

test("a login after a login that was cancelled and never ends is a login of its own", async () => {
  let obtained = 0;
  const waiting = openPromise();
  const { servers, provider, clock } = setUp({}, (scripted) => {
    const grant = authorizationCode(scripted.browser());
    return {
      interactive: "onLogin",
      grant: {
        ...grant,
        obtain(context) {
          waiting.resolve();
          return obtained++ > 0 ? grant.obtain(context) : new Promise<never>(() => {});
        },
      },
    };
  });
  const own = new AbortController();
  const first = provider.login({ signal: own.signal }).catch((error: unknown) => error);
  const joined = provider.login().catch((error: unknown) => error);
  await waiting.promise;
  own.abort(new Error("The person cancels."));
  expect([await first, await joined]).toEqual([own.signal.reason, own.signal.reason]);
  expect(provider.status.state).toBe("needs-user");
  await passing(clock, provider.login());
  expect((await servers.call(provider)).status).toBe(200);
});
