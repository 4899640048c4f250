import { expect, test } from "vitest";

import {
  authorizationCode,
  clientCredentials,
  clientSecret,
  createOAuth,
  deviceCode,
  memoryStore,
  type OAuthOptions,
  type OAuthProvider,
} from "../src/client.ts";
import { passing, setUp } from "./setup.ts";

const headersOf = async (provider: OAuthProvider, server: string): Promise<unknown> =>
  provider.headers({ url: new URL(server), method: "POST", signal: new AbortController().signal });

function openPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Runs all pending work that does not depend on the clock. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

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

test("a login, its renewal and a logout ask the user once for the client", async () => {
  let asked = 0;
  const { servers, provider, clock } = setUp(
    { metadata: { registration_endpoint: undefined } },
    {
      interactive: "onLogin",
      client: {
        metadata: false,
        requestClient: (issuer) =>
          asked++ === 0 ? { issuer, clientId: "entered" } : new Promise<never>(() => {}),
      },
    },
  );
  await passing(clock, provider.login());
  clock.advance(3_600_000);
  expect((await passing(clock, servers.call(provider))).status).toBe(200);
  await passing(clock, provider.logout());
  expect([asked, servers.of("token").length, servers.of("revoke").length]).toEqual([1, 2, 2]);
});

test("the user is asked again for a client that the server rejects", async () => {
  let asked = 0;
  const { servers, provider, clock } = setUp(
    { metadata: { registration_endpoint: undefined } },
    {
      interactive: "onLogin",
      client: {
        metadata: false,
        requestClient(issuer) {
          asked++;
          return { issuer, clientId: "entered" };
        },
      },
    },
  );
  await passing(clock, provider.login());
  servers.script.next("token", { status: 401, body: { error: "invalid_client" } });
  clock.advance(3_600_000);
  await passing(
    clock,
    servers.call(provider).catch(() => {}),
  );
  await passing(clock, provider.logout());
  expect(asked).toBe(2);
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

test("a login after a login and a logout does not ask the user for the client again", async () => {
  let asked = 0;
  const { servers, provider, clock } = setUp(
    { metadata: { registration_endpoint: undefined } },
    {
      interactive: "onLogin",
      client: {
        metadata: false,
        requestClient(issuer) {
          asked++;
          return { issuer, clientId: "entered" };
        },
      },
    },
  );
  await passing(clock, provider.login());
  await passing(clock, provider.logout());
  await passing(clock, provider.login());
  expect([asked, (await servers.call(provider)).status]).toEqual([1, 200]);
});

test("the user is asked again for a client whose login failed", async () => {
  const entered = ["mistyped", "entered"];
  const { servers, provider, clock } = setUp(
    { metadata: { registration_endpoint: undefined } },
    {
      interactive: "onLogin",
      client: {
        metadata: false,
        requestClient: (issuer) => ({ issuer, clientId: entered.shift() ?? "more" }),
      },
    },
  );
  servers.script.next("token", { status: 400, body: { error: "unauthorized_client" } });
  await expect(passing(clock, provider.login())).rejects.toThrow();
  await passing(clock, provider.login());
  const [last] = servers.of("authorize").slice(-1);
  expect([entered, last?.url.searchParams.get("client_id")]).toEqual([[], "entered"]);
});

test("a logout ends although the user is asked for a client and never answers", async () => {
  const store = memoryStore();
  const waiting = openPromise();
  const client = (
    requestClient: NonNullable<NonNullable<OAuthOptions["client"]>["requestClient"]>,
  ): Partial<OAuthOptions> => ({
    interactive: "onLogin",
    store,
    client: { metadata: false, requestClient },
  });
  const { servers, provider, clock, options } = setUp(
    { metadata: { registration_endpoint: undefined } },
    client((issuer) => ({ issuer, clientId: "entered" })),
  );
  await passing(clock, provider.login());
  await provider.close();
  const warnings: string[] = [];
  const restarted = createOAuth({
    ...options,
    ...client(() => {
      waiting.resolve();
      return new Promise<never>(() => {});
    }),
    onEvent: (event) => event.type === "warning" && warnings.push(event.message),
  });
  clock.advance(3_600_000);
  const call = servers.call(restarted).catch((error: unknown) => error);
  await passing(clock, Promise.race([waiting.promise, call]));
  await passing(clock, restarted.logout());
  expect(warnings).toEqual(["The tokens could not be revoked."]);
  expect(await headersOf(restarted, servers.server)).toBeUndefined();
  await restarted.close();
});

test("a provider that closes waits for the response of a refresh, and stores its tokens", async () => {
  const store = memoryStore();
  let writes = 0;
  const { servers, provider, clock } = setUp(
    {},
    {
      interactive: "onLogin",
      store: {
        ...store,
        put(key, value, conditions) {
          writes += key.startsWith("tokens.") ? 1 : 0;
          return store.put(key, value, conditions);
        },
      },
    },
  );
  await passing(clock, provider.login());
  servers.script.next("token", { delayMs: 8000 });
  clock.advance(3_600_001);
  void servers.call(provider).catch(() => {});
  await turns();
  const before = writes;
  await passing(clock, provider.close());
  expect(writes).toBe(before + 1);
});

test("tokens without a user that arrive during a logout are revoked, and not used", async () => {
  const auth = clientSecret("s");
  const { servers, provider, clock } = setUp(
    {},
    {
      grant: clientCredentials(),
      client: { registered: [{ issuer: "https://as.example", clientId: "c", auth }] },
    },
  );
  servers.script.next("token", { delayMs: 8000 });
  const login = provider.login().catch((error: unknown) => error);
  await turns();
  await passing(clock, provider.logout());
  expect(await login).toMatchObject({ code: "NEEDS_USER" });
  const revoked = async (): Promise<void> => {
    while (servers.of("revoke").length === 0) {
      await turns();
    }
  };
  await passing(clock, revoked());
  expect(provider.status.state).toBe("anonymous");
});

test("a login without a user during a logout waits for its end, and gets tokens that last", async () => {
  const auth = clientSecret("s");
  const { servers, provider, clock } = setUp(
    {},
    {
      grant: clientCredentials(),
      client: { registered: [{ issuer: "https://as.example", clientId: "c", auth }] },
    },
  );
  await passing(clock, provider.login());
  servers.script.next("revoke", { delayMs: 3000 });
  const logout = provider.logout();
  await turns();
  await passing(clock, provider.login());
  await logout;
  expect(await headersOf(provider, servers.server)).toBeDefined();
});

test("a login after a logout does not wait for tokens without a user that never come", async () => {
  let obtained = 0;
  const grant = clientCredentials();
  const auth = clientSecret("s");
  const { servers, provider, clock } = setUp(
    {},
    {
      grant: {
        ...grant,
        obtain: (context) => (obtained++ === 0 ? new Promise<never>(() => {}) : grant.obtain(context)),
      },
      client: { registered: [{ issuer: "https://as.example", clientId: "c", auth }] },
    },
  );
  const first = provider.login().catch((error: unknown) => error);
  await turns();
  await passing(clock, provider.logout());
  expect(await first).toMatchObject({ code: "NEEDS_USER" });
  await passing(clock, provider.login());
  expect(await headersOf(provider, servers.server)).toBeDefined();
});

test("a program without a user is asked again for a client whose secret was replaced", async () => {
  let secret = "old";
  const { servers, provider, clock } = setUp(
    { refreshTokens: false },
    {
      grant: clientCredentials(),
      client: {
        metadata: false,
        requestClient: (issuer) => ({ issuer, clientId: "c", auth: clientSecret(secret) }),
      },
    },
  );
  expect((await passing(clock, servers.call(provider))).status).toBe(200);
  secret = "new";
  // The first rejection may be one of the clock.
  for (let rejection = 0; rejection < 2; rejection++) {
    servers.script.next("token", { status: 401, body: { error: "invalid_client" } });
  }
  for (let attempt = 0; attempt < 3; attempt++) {
    clock.advance(3_700_000);
    await passing(
      clock,
      servers.call(provider).catch(() => {}),
    );
  }
  const [, last = ""] = (servers.of("token").at(-1)?.headers.get("authorization") ?? "").split(" ");
  expect(Buffer.from(last, "base64").toString()).toBe("c:new");
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
  const waiting = openPromise();
  const { provider, clock } = setUp({}, (scripted) => ({
    interactive: "onLogin",
    grant: {
      ...authorizationCode(scripted.browser()),
      obtain: () => {
        waiting.resolve();
        return new Promise<never>(() => {});
      },
    },
  }));
  const heard: boolean[] = [];
  provider.waiting?.((isWaiting) => heard.push(isWaiting));
  const login = provider.login().catch((error: unknown) => error);
  await waiting.promise;
  await passing(clock, provider.logout());
  await login;
  expect([heard, provider.status.state]).toEqual([[true, false], "needs-user"]);
});
