import { expect, test } from "vitest";

import { authorizationCode, createOAuth, deviceCode, memoryStore, type OAuthOptions } from "../src/client.ts";
import { openPromise, passing, setUp, turns } from "./setup.ts";

/**
 * A provider whose logins never end: all of them, or the first `count`. `begun` resolves when the
 * first has begun.
 */
function setUpEndless(count = Infinity) {
  const waiting = openPromise();
  let obtained = 0;
  const setup = setUp({}, (scripted) => {
    const grant = authorizationCode(scripted.browser());
    return {
      interactive: "onLogin",
      grant: {
        ...grant,
        obtain(context) {
          waiting.resolve();
          return obtained++ < count ? new Promise<never>(() => {}) : grant.obtain(context);
        },
      },
    };
  });
  return { ...setup, begun: waiting.promise };
}

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
  const { servers, provider, clock, begun } = setUpEndless(1);
  const first = provider.login().catch((error: unknown) => error);
  await begun;
  await passing(clock, provider.logout());
  expect(await first).toMatchObject({ code: "NEEDS_USER" });
  await passing(clock, provider.login());
  expect((await servers.call(provider)).status).toBe(200);
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
  const { servers, provider, clock, begun } = setUpEndless(1);
  const own = new AbortController();
  const first = provider.login({ signal: own.signal }).catch((error: unknown) => error);
  const joined = provider.login().catch((error: unknown) => error);
  await begun;
  own.abort(new Error("The person cancels."));
  expect([await first, await joined]).toEqual([own.signal.reason, own.signal.reason]);
  expect(provider.status.state).toBe("needs-user");
  await passing(clock, provider.login());
  expect((await servers.call(provider)).status).toBe(200);
});

test("a provider closes while the second half of a login waits for the client", async () => {
  const asked = openPromise();
  const client = { metadata: false, requestClient: (issuer: string) => ({ issuer, clientId: "c" }) } as const;
  const { servers, provider, options, clock } = setUp(
    { metadata: { registration_endpoint: undefined } },
    {
      store: memoryStore(),
      interactive: "onLogin",
      grant: authorizationCode({ redirectUri: "https://app.example/callback" }),
      client,
    },
  );
  const { url } = await provider.begin();
  const restarted = createOAuth({
    ...options,
    client: {
      ...client,
      requestClient() {
        asked.resolve();
        return new Promise<never>(() => {});
      },
    },
  });
  const finished = restarted.finish(await servers.visit(url)).catch((error: unknown) => error);
  await asked.promise;
  await passing(clock, restarted.close());
  expect(await finished).toMatchObject({ code: "NEEDS_USER", message: "The provider was closed." });
});
