import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import {
  authorizationCode,
  clientSecret,
  createOAuth,
  deviceCode,
  dpop,
  enterprise,
  privateKeyJwt,
  workload,
} from "@tenon/auth/client";
import { jwt } from "@tenon/auth/jwt";
import { fileStore, loopbackReceiver, oauthFor, publicFetch } from "@tenon/auth/node";
import {
  createGuard,
  dpopProofs,
  introspection,
  protectedResource,
  scopePolicy,
  tokenExchange,
} from "@tenon/auth/server";
import { expect, test } from "vitest";

/** All functions of the package that check the names of their options. */
const takers: readonly (readonly [name: string, take: (wrong: never) => unknown])[] = [
  ["createOAuth", createOAuth],
  ["authorizationCode", authorizationCode],
  ["dpop", dpop],
  ["clientSecret", (wrong) => clientSecret("secret", wrong)],
  ["oauthFor", oauthFor],
  ["deviceCode", deviceCode],
  ["enterprise", enterprise],
  ["workload", workload],
  ["privateKeyJwt", privateKeyJwt],
  ["fileStore", fileStore],
  ["loopbackReceiver", loopbackReceiver],
  ["scopePolicy", scopePolicy],
  ["createGuard", createGuard],
  ["dpopProofs", dpopProofs],
  ["introspection", introspection],
  ["jwt", jwt],
  ["protectedResource", protectedResource],
  ["publicFetch", publicFetch],
  ["tokenExchange", tokenExchange],
];

test("every function that checks the names of its options is tried here", () => {
  const src = join(import.meta.dirname, "../src");
  const checked = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => [...readFileSync(join(src, name), "utf8").matchAll(/checkOptionNames\(\s*"(\w+)"/g)])
    .map(([, name]) => name);
  const tried = takers.map(([name]) => name);
  expect([...new Set(checked)].filter((name) => !tried.includes(name ?? ""))).toEqual([]);
});

test.each(takers)("%s refuses an option that does not exist", (name, take) => {
  expect(() => take({ nonsense: 1 } as never)).toThrow(`${name} has no option "nonsense".`);
});

test.each<readonly [string, (wrong: object) => unknown]>([
  ["oauthFor", oauthFor],
  [
    "createOAuth",
    (wrong) => createOAuth({ server: "https://mcp.example", grant: deviceCode({ show() {} }), ...wrong }),
  ],
])("limits of %s are checked, and found where they are misplaced", (_, make) => {
  const made = (wrong: object) => (): unknown => make(wrong);
  expect(made({ limits: { tokenTimeoutMs: 0 } })).toThrow(
    "limits.tokenTimeoutMs must be a number of 1 or more, or Infinity for no limit; got 0.",
  );
  expect(made({ tokenTimeoutMs: 1 })).toThrow("It is a limit: write limits: { tokenTimeoutMs: … }.");
  expect(made({ limits: { tokenTimoutMs: 1 } })).toThrow("Did you mean tokenTimeoutMs?");
});

test("the time of a receiver is checked", () => {
  expect(() => loopbackReceiver({ limits: { timeoutMs: NaN } })).toThrow("limits.timeoutMs must be");
});
