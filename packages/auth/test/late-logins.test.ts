import { getEventListeners } from "node:events";

import { describe, expect, test } from "vitest";

import {
  authorizationCode,
  clientCredentials,
  createOAuth,
  deviceCode,
  memoryStore,
  type AuthStore,
  type Grant,
  type OAuthProvider,
} from "../src/client.ts";
import type { ScriptedAuthorization } from "../src/testing.ts";
import { headersOf, openPromise, passing, received, setUp, turns } from "./setup.ts";

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

const device = "https://as.example/device";

describe.each<[string, (scripted: ScriptedAuthorization) => Grant]>([
  ["in a browser", (scripted) => authorizationCode(scripted.browser())],
  ["on another device", () => deviceCode({ show: () => {} })],
])("a login %s that ends during its token request", (_, grant) => {
  test.each<[string, (provider: OAuthProvider, own: AbortController) => unknown]>([
    ["its caller", (__, own) => own.abort(new Error("The person cancels."))],
    ["a logout", (provider) => provider.logout()],
    ["the close of the provider", (provider) => provider.close()],
  ])("by %s rejects, and its tokens are revoked when they arrive", async (__, end) => {
    const { servers, provider, clock } = setUp(
      { metadata: { device_authorization_endpoint: device } },
      (scripted) => ({ interactive: "onLogin", grant: grant(scripted) }),
    );
    const begun = { device_code: "d", user_code: "u", verification_uri: device, expires_in: 60 };
    servers.script.next("device", { body: begun });
    servers.script.next("token", { delayMs: 3000 });
    const own = new AbortController();
    const requested = received(servers, "token");
    const login = provider.login({ signal: own.signal }).catch((error: unknown) => error);
    await passing(clock, requested);
    const ended = end(provider, own);
    expect(await login).toBeInstanceOf(Error);
    await passing(clock, Promise.all([ended, provider.close()]));
    expect(await headersOf(provider, servers.server)).toBeUndefined();
    expect(servers.of("revoke")).toHaveLength(2);
  });
});

test("a login that is cancelled while its client authenticates requests no tokens, and is not waited for", async () => {
  const [authenticating, mayAuthenticate] = [openPromise(), openPromise()];
  const { servers, provider } = setUp({}, ({ issuer }) => ({
    client: {
      registered: [
        {
          issuer,
          clientId: "client",
          auth: {
            methods: ["none"],
            async authenticate({ body, clientId }) {
              authenticating.resolve();
              await mayAuthenticate.promise;
              body.set("client_id", clientId);
            },
          },
        },
      ],
    },
  }));
  const own = new AbortController();
  const login = provider.login({ signal: own.signal }).catch((error: unknown) => error);
  await authenticating.promise;
  own.abort(new Error("The person cancels."));
  expect(await login).toBeInstanceOf(Error);
  await provider.logout({ revoke: false });
  mayAuthenticate.resolve();
  await turns();
  expect(servers.of("token")).toEqual([]);
});

test("a login that is cancelled while the guard checks the address requests no tokens", async () => {
  const [checking, mayPass] = [openPromise(), openPromise()];
  const { servers, provider } = setUp(
    {},
    {
      guard(url) {
        if (url.pathname === "/token") {
          checking.resolve();
          return mayPass.promise;
        }
        return undefined;
      },
    },
  );
  const own = new AbortController();
  const login = provider.login({ signal: own.signal }).catch((error: unknown) => error);
  await checking.promise;
  own.abort(new Error("The person cancels."));
  expect(await login).toBeInstanceOf(Error);
  mayPass.resolve();
  await provider.logout();
  expect(servers.of("token")).toEqual([]);
});

test("tokens of a login that was cancelled are not revoked if the client has others, which may end with them", async () => {
  const { servers, provider, clock } = setUp({}, { interactive: "onLogin" });
  await provider.login();
  const before = await headersOf(provider, servers.server);
  servers.script.next("token", { delayMs: 3000 });
  const own = new AbortController();
  const requested = received(servers, "token");
  const login = provider.login({ signal: own.signal }).catch((error: unknown) => error);
  await requested;
  own.abort(new Error("The person cancels."));
  expect(await login).toBeInstanceOf(Error);
  await passing(clock, provider.close());
  expect(servers.of("revoke")).toEqual([]);
  expect(await headersOf(provider, servers.server)).toEqual(before);
});

test("a provider that closes during a token request without a user stores its tokens", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, ({ issuer }) => ({
    store,
    grant: clientCredentials(),
    client: { registered: [{ issuer, clientId: "client" }] },
  }));
  servers.script.next("token", { delayMs: 3000 });
  const requested = received(servers, "token");
  const call = servers.call(provider).catch((error: unknown) => error);
  await requested;
  await passing(clock, provider.close());
  expect(await call).toMatchObject({ message: "The provider was closed." });
  expect(await headersOf(createOAuth(options), servers.server)).toBeDefined();
  expect(servers.of("token")).toHaveLength(1);
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

test("tokens that arrive after the time for the response of the user are used", async () => {
  const { servers, provider, clock } = setUp(
    {},
    { interactive: "onLogin", limits: { flowTimeoutMs: 10_000 } },
  );
  servers.script.next("authorize", { delayMs: 8000 });
  servers.script.next("token", { delayMs: 5000 });
  await passing(clock, provider.login());
  expect((await servers.call(provider)).status).toBe(200);
});

test("a login after the close leaves no listener on the signal of its caller", async () => {
  const { provider } = setUp({}, { interactive: "onLogin" });
  await provider.close();
  const { signal } = new AbortController();
  await expect(provider.login({ signal })).rejects.toMatchObject({ code: "NEEDS_USER" });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a login that is finished while another login waits for the user does not end that wait", async () => {
  const grant = authorizationCode({ redirectUri: "https://app.example/callback" });
  const { servers, provider, clock } = setUp(
    {},
    { interactive: "onLogin", grant: { ...grant, obtain: () => new Promise<never>(() => {}) } },
  );
  const login = provider.login().catch((error: unknown) => error);
  const heard: boolean[] = [];
  provider.waiting?.((isWaiting) => heard.push(isWaiting));
  await provider.finish(await servers.visit((await provider.begin()).url));
  expect(heard).not.toContain(false);
  await passing(clock, provider.close());
  await login;
  expect(heard.at(-1)).toBe(false);
});

test("tokens of a login that the store writes after a logout are deleted and revoked", async () => {
  const store = memoryStore();
  const [writing, mayWrite] = [openPromise(), openPromise()];
  const slow: AuthStore = {
    ...store,
    async put(key, value, conditions) {
      if (key.startsWith("tokens.")) {
        writing.resolve();
        await mayWrite.promise;
      }
      return store.put(key, value, conditions);
    },
  };
  const { servers, provider, options, clock } = setUp({}, { interactive: "onLogin", store: slow });
  const login = provider.login().catch((error: unknown) => error);
  await writing.promise;
  await passing(clock, provider.logout());
  expect(await login).toMatchObject({ code: "NEEDS_USER" });
  mayWrite.resolve();
  await turns();
  expect(await headersOf(provider, servers.server)).toBeUndefined();
  expect(await headersOf(createOAuth({ ...options, store }), servers.server)).toBeUndefined();
  expect(servers.of("revoke")).toHaveLength(2);
});
