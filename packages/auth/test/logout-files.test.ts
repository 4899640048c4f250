import { fileStore } from "@tenon/auth/node";
import { expect, test } from "vitest";

import { createOAuth, type AuthStore, type OAuthProvider } from "../src/client.ts";
import { temporaryDirectory } from "./folder.ts";
import { headersOf, passing, setUp } from "./setup.ts";

// Two stores over one directory, as two processes have them.
const open = (directory: string): AuthStore => fileStore({ directory, protection: "file" });

const authorizationOf = async (provider: OAuthProvider, server: string): Promise<unknown> =>
  (await headersOf(provider, server))?.["authorization"];

/** The tokens that a server has revoked. */
function revoked(servers: ReturnType<typeof setUp>["servers"]): readonly (string | null)[] {
  return servers.of("revoke").map(({ body }) => new URLSearchParams(body).get("token"));
}

/** Two providers, as in two processes, and what the second does between two steps of the first. */
async function setUpTwo(directory: string, step: "get" | "delete") {
  const between: { run?: (() => Promise<void>) | undefined } = {};
  const pass = async (): Promise<void> => {
    const { run } = between;
    between.run = undefined;
    await run?.();
  };
  const files = open(directory);
  const store: AuthStore = {
    ...files,
    async get(key) {
      const found = await files.get(key);
      await (step === "get" ? pass() : undefined);
      return found;
    },
    async delete(key, options) {
      await (step === "delete" ? pass() : undefined);
      return files.delete(key, options);
    },
  };
  const { servers, provider, options, clock } = setUp({}, { store, interactive: "onLogin" });
  // Files expire by the date of the machine.
  clock.offset = Date.now();
  const other = createOAuth({ ...options, store: open(directory) });
  return { servers, provider, other, options, between };
}

test.each(["get", "delete"] as const)(
  "a login that another process finishes between the steps of a logout is ended and revoked (%s)",
  async (step) => {
    await using directory = await temporaryDirectory();
    const { servers, provider, other, options, between } = await setUpTwo(directory.path, step);
    await provider.login();
    let token: unknown;
    between.run = async () => {
      await other.login({ scopes: ["write"] });
      token = await authorizationOf(other, servers.server);
    };
    await provider.logout();
    expect(token).toMatch(/^Bearer /);
    expect(revoked(servers)).toContain(String(token).slice("Bearer ".length));
    expect(revoked(servers)).toHaveLength(4);
    const late = createOAuth({ ...options, store: open(directory.path) });
    expect(await authorizationOf(late, servers.server)).toBeUndefined();
    await expect(servers.call(other)).rejects.toMatchObject({ code: "NEEDS_USER" });
  },
);

test("a first login that another process finishes after a logout has read the files is kept", async () => {
  await using directory = await temporaryDirectory();
  const { servers, provider, other, between } = await setUpTwo(directory.path, "get");
  // The logout reads twice, and the files are empty both times.
  between.run = async () => {
    between.run = () => other.login();
    await Promise.resolve();
  };
  await provider.logout();
  expect(servers.of("revoke")).toEqual([]);
  expect((await servers.call(other)).status).toBe(200);
  expect((await servers.call(provider)).status).toBe(200);
});

test("a login that another process finishes after this one has logged out is refused by the files, and revoked", async () => {
  await using directory = await temporaryDirectory();
  const { servers, provider, options, clock } = setUp(
    {},
    { store: open(directory.path), interactive: "onLogin" },
  );
  clock.offset = Date.now();
  await provider.login();
  const other = createOAuth({ ...options, store: open(directory.path) });
  servers.script.next("token", { delayMs: 3000 });
  const login = other.login({ scopes: ["write"] }).catch((error: unknown) => error);
  await passing(
    clock,
    (async () => {
      while (servers.of("token").length < 2) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    })(),
    0,
  );
  await provider.logout();
  expect(await passing(clock, login)).toMatchObject({ code: "NEEDS_USER" });
  expect(await authorizationOf(other, servers.server)).toBeUndefined();
  await passing(
    clock,
    (async () => {
      while (servers.of("revoke").length < 4) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    })(),
    0,
  );
  const late = createOAuth({ ...options, store: open(directory.path) });
  expect(await authorizationOf(late, servers.server)).toBeUndefined();
});
