import { Manager } from "@tenon/host";
import { expect, test } from "vitest";

const wrong: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ["policy: fn", { policy: () => false }, "policy takes an object with options (limits, allow, deny"],
  ["policy: []", { policy: [] }, "policy takes an object"],
  ["policy: new Map()", { policy: new Map() }, "policy takes an object"],
  ["policy.approve: true", { policy: { approve: true } }, "approve must be a function; got boolean"],
  ["policy.deny: string", { policy: { deny: "rm" } }, "deny must be an array; got string"],
  [
    "policy.drift: misspelt",
    { policy: { drift: "deny" } },
    "drift must be report or refuse-changed or refuse",
  ],
  ["policy.retry: boolean", { policy: { retry: true } }, "retry must be never or undelivered or idempotent"],
  ["policy.allow: string", { policy: { allow: "ls" } }, "allow must be an array; got string"],
  [
    "policy of a server: fn",
    { servers: { a: { type: "http", url: "http://a", policy: () => false } } },
    "policy takes an object",
  ],
  [
    "handlers: fn",
    { handlers: () => ({}) },
    "handlers takes an object with options (elicitation, sampling, roots)",
  ],
  [
    "handlers.sampling: fn",
    { handlers: { sampling() {} } },
    "handlers.sampling takes an object with options (createMessage, tools, context); got function.",
  ],
  [
    "handlers.sampling: {}",
    { handlers: { sampling: {} } },
    "handlers.sampling needs createMessage(params, request).",
  ],
  [
    "handlers.roots: string",
    { handlers: { roots: "file:///a" } },
    "handlers.roots must be an array, or a function that returns one; got string",
  ],
  [
    "handlers.elicitation: fn",
    { handlers: { elicitation: () => ({}) } },
    "handlers.elicitation takes an object with options (form, url, onComplete)",
  ],
  ["onServerRemoved: {}", { onServerRemoved: {} }, "onServerRemoved must be a function"],
  ["reconnect: fn", { reconnect: () => ({}) }, "reconnect takes an object with options"],
];

test.each(wrong)("%s of a manager is refused, because nothing may fail open", (_, options, message) => {
  expect(() => new Manager({ servers: {}, ...options })).toThrow(
    expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(message) }),
  );
});

test("a cache object in place of its limits is refused", async () => {
  const { ResourceCache } = await import("@tenon/host");
  const cache = new ResourceCache({ limits: { ttlMs: 60_000 } });
  expect(() => new Manager({ servers: {}, cache: cache as never })).toThrow(
    "cache takes an object with options",
  );
});
