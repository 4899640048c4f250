import { fileStore } from "@tenon/auth/node";
import { describe, expect, test } from "vitest";

import { createOAuth, memoryStore, type AuthStore, type OAuthOptions } from "../src/client.ts";
import { temporaryDirectory } from "./folder.ts";
import { headersOf, passing, setUp } from "./setup.ts";

const hour = 3_600_000;

/** Opens a store as often as processes use it. */
type Open = (directory: string) => () => AuthStore;

const oneMemory: Open = () => {
  const store = memoryStore();
  return () => store;
};
const oneDirectory: Open = (directory) => () => fileStore({ directory, protection: "file" });

describe.each([
  ["in memory", oneMemory],
  ["in files", oneDirectory],
])("a provider whose store is %s, and another one of the same store", (_, open) => {
  /** Two providers as in two processes. The first is logged in. */
  async function setUpTwo(scripted: Parameters<typeof setUp>[0] = {}, own: Partial<OAuthOptions> = {}) {
    const directory = await temporaryDirectory();
    const store = open(directory.path);
    const requires = ({ body }: { readonly body: string }): readonly string[] =>
      body === "write" ? ["write"] : [];
    const setup = setUp({ requires, ...scripted }, { interactive: "onLogin", store: store(), ...own });
    // The expiry in files is compared with the date of the system.
    setup.clock.offset = Date.now();
    await setup.provider.login();
    const other = createOAuth({ ...setup.options, interactive: "onLogin", store: store() });
    return { ...setup, other, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
  }

  test("the first uses the further scopes of a login of the second", async () => {
    await using two = await setUpTwo();
    const { servers, provider, other } = two;
    const write = (): ReturnType<typeof servers.call> => servers.call(provider, { body: "write" });
    await expect(write()).rejects.toMatchObject({ code: "NEEDS_USER" });
    await other.login({ scopes: ["write"] });
    expect((await write()).status).toBe(200);
    expect(provider.status).toMatchObject({ state: "authorized", scopes: ["write"] });
  });

  test("the first logs nobody in for scopes that a login of the second has", async () => {
    await using two = await setUpTwo({}, { interactive: true });
    const { servers, provider, other } = two;
    await other.login({ scopes: ["write"] });
    expect((await servers.call(provider, { body: "write" })).status).toBe(200);
    expect(servers.of("authorize")).toHaveLength(2);
  });

  test("the first uses a login of the second after its own tokens were dropped", async () => {
    await using two = await setUpTwo();
    const { servers, provider, other, clock } = two;
    clock.advance(hour + 1);
    servers.script.next("token", { status: 400, body: { error: "invalid_grant" } });
    await expect(servers.call(provider)).rejects.toMatchObject({ code: "NEEDS_USER" });
    await other.login();
    expect(await headersOf(provider, servers.server)).toBeDefined();
    expect((await servers.call(provider)).status).toBe(200);
    expect(provider.status.state).toBe("authorized");
  });

  test("the first sends the tokens of the second in place of expired ones without a refresh token", async () => {
    await using two = await setUpTwo({ refreshTokens: false });
    const { servers, provider, other, clock } = two;
    clock.advance(hour + 1);
    await other.login();
    expect(await headersOf(provider, servers.server)).toEqual(await headersOf(other, servers.server));
  });

  test("the first uses a login of the second although its own refresh has to wait", async () => {
    await using two = await setUpTwo();
    const { servers, provider, other, clock } = two;
    clock.advance(hour + 1);
    servers.script.next("token", { status: 503, body: {}, headers: { "retry-after": "3600" } });
    await expect(servers.call(provider)).rejects.toMatchObject({ code: "AUTH_TEMPORARY" });
    await passing(clock, other.login());
    expect((await servers.call(provider)).status).toBe(200);
    expect(servers.of("token")).toHaveLength(3);
  });
});

test("scopes that operations required are not requested at the authorization server that follows", async () => {
  const store = memoryStore();
  const requires = ({ body }: { readonly body: string }): readonly string[] =>
    body === "write" ? ["write"] : [];
  const own: Partial<OAuthOptions> = { store, interactive: "onLogin" };
  const { servers, provider } = setUp({ requires }, own);
  await provider.login();
  await expect(servers.call(provider, { body: "write" })).rejects.toMatchObject({ code: "NEEDS_USER" });
  const moved = setUp({ requires, issuer: "https://moved.example" }, own);
  await moved.provider.login();
  await createOAuth(moved.options).login();
  const requested = moved.servers.of("authorize").map(({ parameters }) => parameters.get("scope"));
  expect(requested).toEqual([null, null]);
});
