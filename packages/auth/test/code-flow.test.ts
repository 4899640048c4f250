import { expect, test } from "vitest";

import { setUp } from "./setup.ts";

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
