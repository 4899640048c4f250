import { apps } from "@tenon/apps/server";
import { compose } from "@tenon/compose";
import { createAudit } from "@tenon/operations";
import { authorizationCode, createOAuth } from "@tenon/sdk/auth/client";
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
  dpopProofs,
  introspection,
  jwt,
  protectedResource,
  scopePolicy,
  tasks,
  tokenExchange,
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
