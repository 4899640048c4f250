import { expect, test } from "vitest";

import {
  authorizationCode,
  createOAuth,
  memoryStore,
  type AuthStore,
  type OAuthProvider,
  type RedirectReceiver,
} from "../src/client.ts";
import { createScriptedAuthorization, createSharedStore } from "../src/testing.ts";
import { createTestClock, passing, setUp } from "./setup.ts";

const hour = 3_600_000;
const rejection = { status: 401, body: { error: "invalid_client" } };

/** Two accounts of one store. The port of the second was taken, so that it has registered again. */
async function setUpTwo() {
  const store = memoryStore();
  let port = 49_151;
  const setup = setUp({}, ({ browser }) => {
    const { receiver, open } = browser();
    return {
      store,
      interactive: "onLogin",
      grant: authorizationCode({
        open,
        receiver: {
          async open(signal, expected) {
            port++;
            const redirectUri = `http://127.0.0.1:${port}/callback`;
            return { ...(await receiver.open(signal, expected)), redirectUri };
          },
        },
      }),
    };
  });
  const other = createOAuth({ ...setup.options, account: "other" });
  await setup.provider.login();
  await other.login();
  expect(setup.servers.of("register")).toHaveLength(2);
  return { ...setup, other, store };
}

test("tokens are refreshed although another login had to register the client again", async () => {
  const { servers, provider, other, clock } = await setUpTwo();
  clock.advance(hour + 1);
  expect((await servers.call(provider)).status).toBe(200);
  expect((await servers.call(other)).status).toBe(200);
  expect(servers.of("authorize")).toHaveLength(2);
});

test("two accounts that register at once both finish their logins", async () => {
  const redirectUri = "https://app.example/callback";
  const { servers, provider, options, clock } = setUp(
    {},
    { store: memoryStore(), interactive: "onLogin", grant: authorizationCode({ redirectUri }) },
  );
  const other = createOAuth({ ...options, account: "other" });
  servers.script.always("register", { delayMs: 3000 });
  const [own, others] = await passing(clock, Promise.all([provider.begin(), other.begin()]));
  expect(servers.of("register")).toHaveLength(2);
  await provider.finish(await servers.visit(own.url));
  await other.finish(await servers.visit(others.url));
  expect((await servers.call(provider)).status).toBe(200);
  expect((await servers.call(other)).status).toBe(200);
});

test.each(["a former", "the last"])(
  "%s client that the server rejects twice ends no login of the other",
  async (which) => {
    const { servers, provider, other, clock } = await setUpTwo();
    const [rejected, kept] = which === "the last" ? [other, provider] : [provider, other];
    clock.advance(hour + 1);
    servers.script.next("token", rejection);
    await expect(servers.call(rejected)).rejects.toMatchObject({ code: "AUTH_TEMPORARY" });
    clock.advance(10_000);
    servers.script.next("token", rejection);
    await expect(servers.call(rejected)).rejects.toMatchObject({ code: "NEEDS_USER" });
    expect((await servers.call(kept)).status).toBe(200);
    await rejected.login();
    expect((await servers.call(rejected)).status).toBe(200);
    expect(servers.of("register")).toHaveLength(3);
  },
);

test("a logout that forgets a former client leaves the last client its registration", async () => {
  const { servers, provider, other, clock } = await setUpTwo();
  await provider.logout({ forget: true });
  clock.advance(hour + 1);
  expect((await servers.call(other)).status).toBe(200);
});

test("a client that another process was accepted with in the meantime is not deleted", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store, interactive: "onLogin" });
  await provider.login();
  clock.advance(hour + 1);
  servers.script.next("token", rejection);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "AUTH_TEMPORARY" });
  const accepting: AuthStore = {
    ...store,
    async delete(key, conditions) {
      const record = JSON.parse((await store.get(key))?.value ?? "{}") as Record<string, unknown>;
      await store.put(key, JSON.stringify({ ...record, rejectedAt: undefined }));
      return store.delete(key, conditions);
    },
  };
  const other = createOAuth({ ...options, store: accepting });
  clock.advance(10_000);
  servers.script.next("token", rejection);
  await expect(servers.call(other)).rejects.toMatchObject({ code: "AUTH_TEMPORARY" });
  clock.advance(10_000);
  expect((await servers.call(other)).status).toBe(200);
});

test("a store keeps 64 earlier clients of a server, and among them the ones that are in use", async () => {
  const clock = createTestClock();
  const shared = createSharedStore(clock);
  const servers = createScriptedAuthorization({ clock });
  const management = { registration_client_uri: "https://as.example/c", registration_access_token: "t" };
  servers.script.always("register", { edit: (json) => ({ ...json, ...management }) });
  const providerAt = (port: number, account: string): OAuthProvider => {
    const { receiver, open } = servers.browser();
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const moved: RedirectReceiver = {
      open: async (signal, expected) => ({ ...(await receiver.open(signal, expected)), redirectUri }),
    };
    return createOAuth({
      server: servers.server,
      grant: authorizationCode({ open, receiver: moved }),
      fetch: servers.fetch,
      clock,
      account,
      store: shared.start(),
    });
  };
  const first = providerAt(49_152, "first");
  await first.login();
  for (let port = 49_153; port < 49_223; port++) {
    clock.advance(48 * hour);
    expect((await servers.call(first)).status).toBe(200);
    await providerAt(port, "others").login();
  }
  const clients = [...shared.values()].filter(([key]) => key.startsWith("registration."));
  // The last client has two records.
  expect(clients).toHaveLength(64 + 2);
  expect(servers.requests.filter(({ method }) => method === "DELETE")).toHaveLength(71 - 65);
  clock.advance(48 * hour);
  expect((await servers.call(first)).status).toBe(200);
});

test("an authorization server whose registration was forgotten is not preferred any more", async () => {
  const others = ["https://other.example", "https://as.example"];
  const { servers, provider, options } = setUp(
    { resourceMetadata: { authorization_servers: others } },
    { store: memoryStore(), interactive: "onLogin" },
  );
  const triesOther = async (): Promise<boolean> => {
    const before = servers.requests.length;
    await createOAuth(options).login();
    return servers.requests.slice(before).some(({ url }) => url.host === "other.example");
  };
  expect(await triesOther()).toBe(true);
  expect(await triesOther()).toBe(false);
  await provider.logout({ forget: true });
  expect(await triesOther()).toBe(true);
});
