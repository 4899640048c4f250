import { expect, test } from "vitest";

import { clientCredentials, clientSecret, type Grant } from "../src/client.ts";
import { headersOf, openPromise, passing, received, setUp, turns } from "./setup.ts";

function setUpWithoutUser(
  grant: Grant = clientCredentials(),
  scripted: Parameters<typeof setUp>[0] = {},
): ReturnType<typeof setUp> {
  const auth = clientSecret("s");
  return setUp(scripted, {
    grant,
    client: { registered: [{ issuer: "https://as.example", clientId: "c", auth }] },
  });
}

test("tokens without a user that arrive during a logout are revoked, and not used", async () => {
  const { servers, provider, clock } = setUpWithoutUser();
  servers.script.next("token", { delayMs: 8000 });
  const requested = received(servers, "token");
  const login = provider.login().catch((error: unknown) => error);
  await requested;
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

test("a logout during the discovery of a login without a user requests no tokens", async () => {
  const { servers, provider, clock } = setUpWithoutUser();
  servers.script.next("server-metadata", { delayMs: 3000 });
  const discovering = received(servers, "server-metadata");
  const login = provider.login().catch((error: unknown) => error);
  await discovering;
  await passing(clock, provider.logout());
  expect(await login).toMatchObject({ code: "NEEDS_USER" });
  await passing(clock, provider.login());
  expect([servers.of("token").length, servers.of("revoke").length]).toEqual([1, 0]);
});

test("a login without a user ends when the provider is closed, although its grant ignores that", async () => {
  const waiting = openPromise();
  const { provider, clock } = setUpWithoutUser({
    ...clientCredentials(),
    obtain() {
      waiting.resolve();
      return new Promise<never>(() => {});
    },
  });
  const login = provider.login().catch((error: unknown) => error);
  await waiting.promise;
  await passing(clock, provider.close());
  expect(await login).toMatchObject({ code: "NEEDS_USER", message: "The provider was closed." });
});

test("a login without a user during a logout waits for its end, and gets tokens that last", async () => {
  const { servers, provider, clock } = setUpWithoutUser();
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
  const waiting = openPromise();
  const { servers, provider, clock } = setUpWithoutUser({
    ...grant,
    obtain(context) {
      waiting.resolve();
      return obtained++ === 0 ? new Promise<never>(() => {}) : grant.obtain(context);
    },
  });
  const first = provider.login().catch((error: unknown) => error);
  await waiting.promise;
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

test("a request without a user gets its scopes although tokens without them are being obtained", async () => {
  const { servers, provider, clock } = setUpWithoutUser(clientCredentials(), {
    requires: ({ body }) => (body === "write" ? ["write"] : []),
  });
  await passing(clock, provider.login());
  clock.advance(3_570_000);
  servers.script.next("token", { delayMs: 5000 });
  servers.script.next("mcp", { delayMs: 1000 });
  expect((await passing(clock, servers.call(provider, { body: "write" }))).status).toBe(200);
});
