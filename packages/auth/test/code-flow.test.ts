import { authorizationCode, createOAuth, type OAuthProvider } from "@tenon/auth/client";
import { expect, test } from "vitest";

import { passing, setUp } from "./setup.ts";

test("a login whose page cannot be shown ends at once, unless somebody listens for its URL", async () => {
  const { servers, options } = setUp();
  const cause = new Error("no display");
  const grant = authorizationCode({ ...servers.browser(), open: () => Promise.reject(cause) });
  const { onEvent: _, ...silent } = options;
  const unheard = createOAuth({ ...silent, grant });
  await expect(unheard.login()).rejects.toMatchObject({ code: "NEEDS_USER", cause });
  await unheard.close();

  let heard: OAuthProvider | undefined;
  const visited = await new Promise((resolve) => {
    heard = createOAuth({
      ...options,
      grant,
      onEvent: (event) => event.type === "visit" && resolve(event.url),
    });
    heard.login().catch(() => {});
  });
  expect(visited).toMatchObject({ host: new URL(servers.issuer).host });
  await heard?.close();
});

test("a refused request discovers, registers, logs in and succeeds (R-733, R-748, R-750)", async () => {
  const { servers, provider } = setUp();
  expect(await servers.call(provider)).toEqual({ status: 200, body: "ok" });
  expect(servers.requests.map(({ step }) => step)).toEqual([
    "mcp",
    "resource-metadata",
    "server-metadata",
    "register",
    "authorize",
    "token",
    "mcp",
  ]);
  expect(provider.status).toMatchObject({ state: "authorized", issuer: servers.issuer, generation: 1 });
});

test("requests are reported to wait as long as a login runs, also to whoever asks during the login", async () => {
  const { servers, provider } = setUp();
  const early: boolean[] = [];
  const late: boolean[] = [];
  provider.waiting?.((isWaiting) => {
    early.push(isWaiting);
    if (isWaiting) {
      setImmediate(() => provider.waiting?.((each) => late.push(each)));
    }
  });
  expect((await servers.call(provider)).status).toBe(200);
  expect(early).toEqual([true, false]);
  expect(late).toEqual([true, false]);
});

test.each<[string, () => Promise<void>]>([
  ["fails to close", () => Promise.reject(new Error("The window is gone."))],
  ["never closes", () => new Promise<never>(() => {})],
])("a receiver that %s does not matter to its login", async (_, close) => {
  const { servers, provider, clock } = setUp({}, (scripted) => {
    const { receiver, open } = scripted.browser();
    const grant = authorizationCode({
      open,
      receiver: {
        async open(signal, expected) {
          return { ...(await receiver.open(signal, expected)), [Symbol.asyncDispose]: close };
        },
      },
    });
    return { grant };
  });
  expect((await passing(clock, servers.call(provider))).status).toBe(200);
});
