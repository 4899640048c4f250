import {
  createStatelessHandler,
  createStreamableHandler,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http";
import { expect, test } from "vitest";

import { echo, modern, peerServer } from "./setup.ts";

const getServer = (): ReturnType<typeof peerServer> => peerServer(echo);

test.each<[Record<string, unknown>, string]>([
  [
    { allowedOrigins: ["chat.example.com"] },
    'allowedOrigins must contain origins such as "https://chat.example.com" (or be "any", without a list); got "chat.example.com".',
  ],
  [
    { allowedOrigins: ["*"] },
    'allowedOrigins must contain origins such as "https://chat.example.com" (or be "any", without a list); got "*".',
  ],
  [
    { allowedOrigins: ["https://*.example.com"] },
    'allowedOrigins must contain origins such as "https://chat.example.com" (or be "any", without a list); got "https://*.example.com".',
  ],
  [
    { allowedOrigins: ["https://chat.example.com/"] },
    'allowedOrigins must contain origins such as "https://chat.example.com" (or be "any", without a list); got "https://chat.example.com/".',
  ],
  [
    { allowedOrigins: ["https://Chat.example.com:443"] },
    'allowedOrigins must contain origins as browsers send them, here "https://chat.example.com"; got "https://Chat.example.com:443".',
  ],
  [{ allowedOrigins: "*" }, 'allowedOrigins must be an array or "any"; got "*".'],
  [{ cors: { allowedOrigins: ["chat.example.com"] } }, "allowedOrigins must contain origins"],
  [
    { allowedHosts: ["https://mcp.example.com"] },
    'allowedHosts must contain host names such as "mcp.example.com" (or be "any", without a list); got "https://mcp.example.com".',
  ],
  [{ allowedHosts: ["*"] }, 'allowedHosts must contain host names such as "mcp.example.com"'],
  [
    { allowedHosts: ["mcp.example.com:443"] },
    'allowedHosts must contain hosts without a port, here "mcp.example.com", which allows every port; got "mcp.example.com:443".',
  ],
  [{ allowedHosts: ["[::1]:"] }, 'hosts without a port, here "[::1]"'],
  [{ allowedHosts: [undefined] }, "allowedHosts must contain strings; got undefined."],
])("options that cannot do what they seem to say are refused: %o", (options, message) => {
  expect(() =>
    createStreamableHandler({ getServer, ...(options as Partial<StreamableHandlerOptions>) }),
  ).toThrow(message);
});

test.each([
  { allowedOrigins: ["https://chat.example.com:8443", "http://127.0.0.1:5173", "http://[::1]:3000", "null"] },
  { allowedOrigins: ["chrome-extension://abcdefghijklmnop", "app://."] },
  { allowedHosts: ["mcp.example.com", "MCP.example.com", "[::1]", "10.0.0.7", "my_host"] },
  { allowedHosts: "any", allowedOrigins: "any" },
] as const)("options that requests can meet are accepted: %o", (options) => {
  expect(() => createStreamableHandler({ getServer, ...options })).not.toThrow();
});

test.each<[unknown, string]>([
  [
    peerServer(echo),
    "createStreamableHandler takes options with a function getServer; got undefined. Write createStreamableHandler({ getServer: () => server }).",
  ],
  [
    { getServer: peerServer(echo) },
    "createStreamableHandler takes options with a function getServer; got object.",
  ],
  [{ getServer, authenticate: true }, "authenticate must be a function; got boolean."],
  [
    { getServer, allowedHost: ["mcp.example.com"] },
    'createStreamableHandler has no option "allowedHost". Did you mean allowedHosts?',
  ],
  [
    { getServer, heartbeatMS: 5 },
    'createStreamableHandler has no option "heartbeatMS". Did you mean limits.heartbeatMs?',
  ],
  [{ getServer, sessions: { ttl: 5 } }, 'sessions has no option "ttl". It takes generateId, eventStore,'],
  [{ getServer, cors: { origins: "any" } }, 'cors has no option "origins". It takes allowedOrigins.'],
  [{ getServer, limits: { stallMS: 5 } }, 'limits has no option "stallMS". Did you mean stallMs?'],
  [{ getServer, maxInFlight: 5 }, "It is a limit: write limits: { maxInFlight: … }."],
  [{ getServer, sessions: { idleMs: 5 } }, "It is a limit: write limits: { idleMs: … }."],
  [{ getServer, limits: { heartbeatMs: 0 } }, "limits.heartbeatMs must be a number of 1 or more"],
  [{ getServer, limits: { maxDept: 5 } }, 'limits has no option "maxDept". Did you mean maxDepth?'],
])("options that a handler does not know are refused: %#", (options, message) => {
  expect(() => createStreamableHandler(options as StreamableHandlerOptions)).toThrow(message);
});

test("a handler without sessions does not take their options, and ignores what is undefined", () => {
  expect(() => createStatelessHandler({ getServer, ...{ sessions: {} } })).toThrow(
    'createStatelessHandler has no option "sessions".',
  );
  expect(() => createStatelessHandler({ getServer, ...{ sessions: undefined } })).not.toThrow();
});

test("a getServer that returns something else than a server is reported", async () => {
  const errors: unknown[] = [];
  await using handler = createStreamableHandler({
    getServer: () => ({}) as ReturnType<typeof peerServer>,
    onError: (error) => void errors.push(error),
  });
  const response = await handler.fetch(new Request("http://localhost/mcp", modern("tools/list")));
  expect(response.status).toBe(500);
  expect(errors).toMatchObject([
    { message: "getServer must return a server, a promise of one, or undefined." },
  ]);
});
