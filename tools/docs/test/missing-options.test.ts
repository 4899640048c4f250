import { apps } from "@tenon/apps/server";
import { compose } from "@tenon/compose";
import { createAudit } from "@tenon/operations";
import {
  authorizationCode,
  createOAuth,
  deviceCode,
  enterprise,
  privateKeyJwt,
  workload,
} from "@tenon/sdk/auth/client";
import { jwt } from "@tenon/sdk/auth/jwt";
import {
  createGuard,
  dpopProofs,
  introspection,
  protectedResource,
  scopePolicy,
  tokenExchange,
} from "@tenon/sdk/auth/server";
import { createStatelessHandler, createStreamableHandler } from "@tenon/sdk/http";
import { Server } from "@tenon/sdk/server";
import { CommandTransport } from "@tenon/sdk/stdio";
import { createSkillCatalog } from "@tenon/skills/server";
import { createRedisStores } from "@tenon/store-redis";
import { createSqliteStores } from "@tenon/store-sqlite";
import { tasks } from "@tenon/tasks/server";
import { expect, test } from "vitest";

/** Functions whose parameter is required, as JavaScript calls them. */
const functions = {
  apps,
  authorizationCode,
  compose,
  createAudit,
  createGuard,
  createOAuth,
  createRedisStores,
  createSkillCatalog,
  createSqliteStores,
  createStatelessHandler,
  createStreamableHandler,
  deviceCode,
  dpopProofs,
  enterprise,
  introspection,
  jwt,
  privateKeyJwt,
  protectedResource,
  scopePolicy,
  tasks,
  tokenExchange,
  workload,
} as Readonly<Record<string, (value: unknown) => unknown>>;

/** Values of which none is an object with options. */
const wrongKinds = [undefined, null, 3, "text", [3]];

test.each(Object.keys(functions))("%s names what it takes, whatever it gets", async (name) => {
  const call = functions[name] ?? expect.fail(name);
  for (const given of name === "dpopProofs" ? wrongKinds.slice(1) : wrongKinds) {
    const error: unknown = await Promise.resolve()
      .then(() => call(given))
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(error, `${name}(${JSON.stringify(given)})`).toBeInstanceOf(Error);
    expect((error as Error).message).toMatch(/takes|needs|must be/);
    expect((error as Error).message).not.toMatch(/Cannot |is not a function|not iterable/);
  }
});

const info = { name: "s", version: "1" };
const key = { id: "a", secret: "x".repeat(32) };

/** Options that lack a required part, as JavaScript passes them. */
const incomplete: readonly (readonly [string, () => unknown])[] = (
  [
    ["new CommandTransport needs command, a string; got undefined.", CommandTransport, {}],
    ["new CommandTransport needs command, a string; got an empty one.", CommandTransport, { command: "" }],
    ["args[1] must be a string; got undefined.", CommandTransport, { command: "a", args: ["b", undefined] }],
    ["env.A must be a string; got number.", CommandTransport, { command: "a", env: { A: 1 } }],
    ["workload needs assertion, a function; got undefined.", workload, {}],
    ["enterprise needs idp, an object; got undefined.", enterprise, { subjectToken: () => "" }],
    [
      "enterprise: idp needs issuer, a string; got undefined.",
      enterprise,
      { idp: {}, subjectToken: () => "" },
    ],
    ["deviceCode needs show, a function; got undefined.", deviceCode, {}],
    ["privateKeyJwt needs key, a string; got an empty one.", privateKeyJwt, { key: "" }],
  ] as const
).map(([message, take, options]) => [
  message,
  (): unknown =>
    take === CommandTransport
      ? new CommandTransport(options as never)
      : (take as (options: unknown) => unknown)(options),
]);
const stateKeys: readonly unknown[] = [undefined, null, {}, { ...key, id: undefined }, { ...key, secret: 5 }];

test.each(incomplete)("%s", (message, make) => {
  expect(make).toThrow(message);
});

test.each(stateKeys)("a key %j for the state of handlers is refused with the rule for keys", (one) => {
  expect(() => new Server(info, { interaction: { stateKeys: [key, one] as never } })).toThrow(
    "stateKeys: a key needs an id of",
  );
});
