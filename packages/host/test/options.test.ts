import { Manager, ResourceCache, type ManagerOptions } from "@tenon/host";
import { nodeTransports, parseConfig } from "@tenon/host/node";
import { expect, test } from "vitest";

const servers = { a: { type: "stdio", command: "node" } } as const;

test.each<[object, string]>([
  [{ server: {} }, 'new Manager has no option "server". Did you mean servers?'],
  [
    { maxServers: 5 },
    'new Manager has no option "maxServers". It is a limit: write limits: { maxServers: … }.',
  ],
  [{ limits: { maxServer: 5 } }, 'limits has no option "maxServer". Did you mean maxServers?'],
  [
    { limits: { maxStdioConnecting: 0 } },
    "limits.maxStdioConnecting must be an integer of 1 or more, or Infinity for no limit; got 0.",
  ],
  [{ reconnect: { maxRetries: -1 } }, "reconnect.maxRetries must be an integer of 0 or more"],
  [{ breaker: { threshold: 5 } }, 'breaker has no option "threshold".'],
  [
    { cache: { ttlMs: "infinite" } },
    'cache.ttlMs must be a number of 1 or more, or Infinity for no limit; got "infinite".',
  ],
  [
    { servers, policy: { timeoutMs: 5 } },
    'policy has no option "timeoutMs". It is a limit: write limits: { timeoutMs: … }.',
  ],
  [
    { servers, policy: { limits: { maxInFlight: 0 } } },
    "policy.limits.maxInFlight must be an integer of 1 or more",
  ],
])("options that a manager does not know are rejected: %o", (options, message) => {
  const expected = expect.objectContaining({
    code: "INVALID_OPTION",
    message: expect.stringContaining(message) as string,
  }) as Error;
  expect(() => new Manager(options as ManagerOptions)).toThrow(expected);
});

test("a selection of servers can be spread into the options of a manager", () => {
  expect(() => new Manager({ servers: {}, ...{ untrusted: [] } })).not.toThrow();
});

test.each<readonly [string, string, (options: object) => unknown]>([
  ["new ResourceCache", "maxEntries", (options) => new ResourceCache(options)],
  ["parseConfig", "maxServers", (options) => parseConfig({ mcpServers: {} }, options)],
])("%s rejects a limit that is not in limits", (subject, limit, make) => {
  const message = `${subject} has no option "${limit}". It is a limit: write limits: { ${limit}: … }.`;
  expect(() => make({ [limit]: 1 })).toThrow(
    expect.objectContaining({ code: "INVALID_OPTION", message }) as Error,
  );
});

test("options that nodeTransports does not know are rejected", () => {
  expect(() => nodeTransports({ onStdErr: () => {} } as object)).toThrow(
    expect.objectContaining({
      code: "INVALID_OPTION",
      message: expect.stringContaining(
        'nodeTransports has no option "onStdErr". Did you mean onStderr?',
      ) as string,
    }),
  );
});
