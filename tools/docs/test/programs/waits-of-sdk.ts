import type { Wait } from "./wait.ts";

const taskProgram = (revision: string, ...lines: readonly string[]): readonly string[] => [
  'import { Client } from "@tenon/sdk/client";',
  'import { StreamableClientTransport } from "@tenon/sdk/http";',
  'import { taskClient } from "@tenon/sdk/tasks/client";',
  `const client = new Client({ name: "c", version: "1" }, { revisions: ["${revision}"] });`,
  "client.use(taskClient());",
  'const session = await client.connect(new StreamableClientTransport(url + "/mcp"));',
  "await session.listTools();",
  ...lines,
];
const show = "console.log(JSON.stringify(result.content));";
const leave = "await session.close();";

const hostProgram = (servers: string, options: string, ...lines: readonly string[]): readonly string[] => [
  'import { Manager } from "@tenon/sdk/host";',
  'import { nodeTransports } from "@tenon/sdk/host/node";',
  `const manager = new Manager({ servers: ${servers}, transports: nodeTransports(), ${options} });`,
  ...lines,
];

const authProgram = (options: string, ...lines: readonly string[]): readonly string[] => [
  'import { authorizationCode, createOAuth } from "@tenon/sdk/auth/client";',
  'import { createScriptedAuthorization } from "@tenon/sdk/auth/testing";',
  'import { systemClock } from "@tenon/jsonrpc2";',
  "const servers = createScriptedAuthorization({ clock: systemClock });",
  "const browser = servers.browser();",
  `const auth = createOAuth({ server: servers.server, fetch: servers.fetch, client: { metadata: { name: "c" } }, ${options} });`,
  ...lines,
];

/** A transport whose other end never answers, and which keeps nothing alive. */
const dead = [
  'import { createInMemoryTransports } from "@tenon/sdk/memory";',
  "const [dead, other] = createInMemoryTransports(); await other.connect();",
];

/** Everything that a caller of client, host, tasks, auth and CLI awaits. */
export const waitsOfSdk: readonly Wait[] = [
  ...["2025-11-25", "2026-07-28"].flatMap((revision): readonly Wait[] => [
    {
      name: `callTool of ${revision} for the result of a task over HTTP`,
      program: taskProgram(
        revision,
        'const result = await session.callTool({ name: "report" });',
        show,
        leave,
      ),
      prints: /reported/,
    },
    {
      name: `tasks.watch and tasks.result of ${revision} for a task of another session`,
      program: taskProgram(
        revision,
        'const { reference } = await session.tasks.start({ name: "report" });',
        "const task = await session.tasks.resume(reference);",
        "const result = await task.result();",
        show,
        leave,
      ),
      prints: /reported/,
    },
  ]),
  {
    name: "tasks.watch for each state of a task of 2026-07-28",
    program: taskProgram(
      "2026-07-28",
      'const { reference } = await session.tasks.start({ name: "watched" });',
      "for await (const { status } of session.tasks.watch(reference.taskId ?? reference.id)) console.log(status);",
    ),
    prints: /working[\s\S]*completed/,
  },
  {
    name: "callTool for the poll of a task after lost responses",
    program: [
      'import { Client } from "@tenon/sdk/client";',
      'import { StreamableClientTransport } from "@tenon/sdk/http";',
      'import { taskClient } from "@tenon/sdk/tasks/client";',
      "let lost = 0;",
      "const unsteady = async (input, init) => {",
      "  const method = new Headers(init.headers).get('mcp-method');",
      "  if (method === 'subscriptions/listen') return new Response('', { status: 501 });",
      "  if (method === 'tasks/get' && lost++ < 2) return new Response('', { status: 503 });",
      "  return fetch(input, init);",
      "};",
      'const client = new Client({ name: "c", version: "1" }, { revisions: ["2026-07-28"] });',
      "client.use(taskClient());",
      'const session = await client.connect(new StreamableClientTransport(url + "/mcp", { fetch: unsteady }));',
      'const result = await session.callTool({ name: "report" });',
      show,
      "console.log(lost > 1);",
    ],
    prints: /reported[\s\S]*true/,
  },
  {
    name: "callTool for the pause before a round without questions",
    program: taskProgram("2026-07-28", 'const result = await session.callTool({ name: "twice" });', show),
    prints: /twice/,
  },
  {
    name: "callTool of 2025-11-25 for the rest of a stream that broke",
    program: [
      'import { Client } from "@tenon/sdk/client";',
      'import { StreamableClientTransport } from "@tenon/sdk/http";',
      "const broken = async (input, init) => {",
      "  const response = await fetch(input, init);",
      "  if (!String(init.body).includes('\"tools/call\"')) return response;",
      "  const reader = response.body.getReader();",
      "  const { value } = await reader.read();",
      "  await reader.cancel();",
      "  return new Response(value, { headers: response.headers });",
      "};",
      'const client = new Client({ name: "c", version: "1" }, { revisions: ["2025-11-25"] });',
      'const session = await client.connect(new StreamableClientTransport(url + "/mcp", { fetch: broken }));',
      'const result = await session.callTool({ name: "slowly" }, { onProgress() {} });',
      show,
      leave,
    ],
    prints: /slow/,
  },
  {
    name: "a watch of 2026-07-28 for its stream to be opened again",
    program: [
      'import { Client } from "@tenon/sdk/client";',
      'import { StreamableClientTransport } from "@tenon/sdk/http";',
      "let listens = 0;",
      "const cut = async (input, init) => {",
      "  const response = await fetch(input, init);",
      "  if (new Headers(init.headers).get('mcp-method') !== 'subscriptions/listen' || listens++ > 0) return response;",
      "  const reader = response.body.getReader();",
      "  const { value } = await reader.read();",
      "  await reader.cancel();",
      "  return new Response(value, { headers: response.headers });",
      "};",
      'const client = new Client({ name: "c", version: "1" }, { revisions: ["2026-07-28"] });',
      'const session = await client.connect(new StreamableClientTransport(url + "/mcp", { fetch: cut }));',
      'const watch = session.watch("note://1");',
      "await watch.ready;",
      "for await (const { uri } of watch) { console.log(uri, listens); break; }",
    ],
    prints: /note:\/\/1 2/,
  },
  {
    name: "close of a session for a handler that does not end, up to drainMs",
    program: [
      'import { Client, Server } from "@tenon/sdk";',
      'import { createInMemoryTransports } from "@tenon/sdk/memory";',
      'const server = new Server({ name: "s", version: "1" }, { onError() {} });',
      'server.addTool({ name: "hang" }, () => new Promise(() => {}));',
      "const [near, far] = createInMemoryTransports();",
      "const serving = await server.connect(far);",
      'const session = await new Client({ name: "c", version: "1" }).connect(near);',
      'const call = session.callTool({ name: "hang" }, { timeoutMs: Infinity, totalTimeoutMs: Infinity });',
      "call.catch(() => {});",
      "await new Promise((resolve) => setTimeout(resolve));",
      "await serving.close({ drainMs: 300 });",
      "console.log(await call.catch(({ code }) => code));",
    ],
    prints: /CONNECTION_CLOSED|-32603/,
  },
  {
    name: "a call of a Manager for the reconnection of its only server",
    program: hostProgram(
      '{ s: { type: "stdio", command: process.execPath, args: [new URL("mortal.mjs", import.meta.url).pathname] } }',
      "",
      "await manager.connectAll(); await manager.tools();",
      'await manager.callTool("s", "die", {}).catch(() => {});',
      'const result = await manager.callToolByName("mcp__s__live", {});',
      show,
      "await manager.close();",
    ),
    prints: /alive/,
  },
  {
    name: "a call of a Manager for the time that a server asks for",
    program: hostProgram(
      '{ s: { type: "http", url: url + "/busy", headers: { "x-program": "manager" } } }',
      'policy: { retry: "idempotent" }',
      "await manager.connectAll(); await manager.tools();",
      'const result = await manager.callTool("s", "read", {});',
      show,
      "await manager.close();",
    ),
    prints: /read/,
  },
  {
    name: "a call of a Manager for its rate limit",
    program: hostProgram(
      '{ s: { type: "http", url: url + "/mcp" } }',
      "policy: { rateLimit: { requests: 1, perMs: 400 } }",
      "await manager.connectAll(); await manager.tools();",
      'await manager.callTool("s", "read", {});',
      'const result = await manager.callTool("s", "read", {});',
      show,
      "await manager.close();",
    ),
    prints: /read/,
  },
  {
    name: "connectAll for waitMs",
    program: [
      ...dead,
      ...hostProgram(
        '{ s: { type: "custom", transport: () => dead } }',
        "",
        "console.log((await manager.connectAll({ waitMs: 300 })).pending);",
        "process.exit();",
      ),
    ],
    prints: /\[ 's' \]/,
  },
  {
    name: "connectAll for a server that never answers, up to connectTimeoutMs",
    program: [
      ...dead,
      ...hostProgram(
        '{ s: { type: "custom", transport: () => ({ connect: () => new Promise(() => {}) }) } }',
        "policy: { limits: { connectTimeoutMs: 300 } }",
        "console.log([...(await manager.connectAll()).failed.values()].map(({ code }) => code));",
      ),
    ],
    prints: /\[ '(TIMEOUT|CONNECT_FAILED)' \]/,
  },
  {
    name: "connect over a broadcast channel without a server",
    program: [
      'import { Client } from "@tenon/sdk/client";',
      'import { broadcastTransport } from "@tenon/sdk/message";',
      'const transport = broadcastTransport("nobody", { limits: { connectTimeoutMs: 300 } });',
      'console.log(await new Client({ name: "c", version: "1" }).connect(transport).catch(({ code }) => code));',
    ],
    prints: /TIMEOUT/,
  },
  {
    name: "a login for a browser that never comes back",
    program: authProgram(
      'limits: { flowTimeoutMs: 300 }, grant: authorizationCode({ receiver: { async open() { return { redirectUri: "http://127.0.0.1:1/callback", response: new Promise(() => {}), async [Symbol.asyncDispose]() {} }; } }, open() {} })',
      "console.log(await auth.login().catch(({ code }) => code));",
    ),
    prints: /CALLBACK_TIMEOUT/,
  },
  {
    name: "a login for a user who agrees late",
    program: authProgram(
      "grant: authorizationCode({ receiver: browser.receiver, open: (address) => setTimeout(() => browser.open(address), 300).unref() })",
      "await auth.login();",
      "console.log((await servers.call(auth)).status);",
    ),
    prints: /200/,
  },
  {
    name: "the handshake of a view that never answers",
    program: [
      ...dead,
      'import { appHost, openBridge } from "@tenon/sdk/apps/host";',
      'import { Client, Server } from "@tenon/sdk";',
      "const [near, far] = createInMemoryTransports();",
      'await new Server({ name: "s", version: "1" }).connect(far);',
      'const client = new Client({ name: "c", version: "1" }); client.use(appHost());',
      "const session = await client.connect(near);",
      'const view = { html: "", uri: "ui://x" };',
      'const bridge = await openBridge(session, { transport: dead, info: { name: "h", version: "1" }, view, limits: { handshakeTimeoutMs: 300 } });',
      "console.log(await bridge.ready.catch(({ code }) => code));",
    ],
    prints: /TIMEOUT/,
  },
  {
    name: "tenon call --task result",
    tenon: ["call", "$url/mcp", "report", "--task", "result"],
    prints: /reported/,
  },
  {
    name: "tenon task get --follow",
    tenon: ["task", "get", "$url/mcp", "$task", "--follow"],
    prints: /working[\s\S]*completed/,
  },
  {
    name: "tenon task result",
    tenon: ["task", "result", "$url/mcp", "$task"],
    prints: /polled/,
  },
];
