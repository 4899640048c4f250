import { text, type Documented } from "./documented.ts";

const guide = "tools/docs/test/guide";
const library = "packages/mcp/test/docs";

/** Serves `server` over HTTP, connects `client` to it, and ends both. */
const overHttp = text(
  'import { createStreamableHandler, StreamableClientTransport } from "@tenon/sdk/http";',
  'import { listen } from "@tenon/sdk/node";',
  "const handler = createStreamableHandler({ getServer: () => server, sessions: {} });",
  "const listening = await listen(handler, { port: 0 });",
  "const session = await client.connect(new StreamableClientTransport(listening.url));",
);
const closed = text("await session.close();", "await listening.close();", "await server.close();");
const inMemory = text(
  'import { createInMemoryTransports } from "@tenon/sdk/memory";',
  "const [near, far] = createInMemoryTransports();",
  "await server.connect(far);",
  "const session = await client.connect(near);",
);
const greeter = ["examples/quickstart/src/server.ts#server"];

/** The programs of README and docs that import `@tenon/sdk` alone. */
export const ofSdk: readonly Documented[] = [
  {
    name: "README: a client starts a server, lists its tools and calls one",
    parts: ["examples/quickstart/src/client.ts#client"],
    beside: { server: greeter },
    args: ["server$ext"],
    prints: "greet\n[ { type: 'text', text: 'Hello, you!' } ]",
    everywhere: true,
  },
  {
    name: "README: a server over standard input and output ends with its client",
    parts: greeter,
    input: "",
    prints: "",
  },
  {
    name: "README: the same server over HTTP prints its address and serves until it is killed",
    parts: [
      text(
        'import { Server } from "@tenon/sdk/server";',
        'const server = new Server({ name: "greeter", version: "1.0.0" });',
      ),
      "examples/clock/src/http.ts#serve",
    ],
    until: /\/mcp\n/,
    prints: /^http:\/\/127\.0\.0\.1:\d+\/mcp$/,
    code: "SIGTERM",
  },
  {
    name: "tasks: callTool waits for a task of 2026-07-28 over HTTP, and another session resumes it",
    parts: [
      text(
        "const read = async (of: string) => [of.length, await new Promise((done) => setTimeout(done, 300, 1))];",
        "const store = undefined; const send = true; const show = console.log;",
      ),
      `${guide}/tasks.ts#server`,
      `${guide}/tasks.ts#client`,
      overHttp,
      `${guide}/tasks.ts#call`,
      text("console.log(result.content);", "{", "const store = new Map<string, string>();"),
      `${guide}/tasks.ts#later`,
      text("console.log(result.content);", "}"),
      closed,
      text("await engine.close();"),
    ],
    prints: /working[\s\S]*input_required[\s\S]*'Sent: 3,1'[\s\S]*'Sent: 3,1'/,
    everywhere: true,
  },
  {
    name: "tasks: a file keeps tasks, and a client keeps tasks of its own",
    parts: [
      text(
        'import { Client, Server } from "@tenon/sdk";',
        'import { createTaskEngine } from "@tenon/sdk/tasks";',
        'import { taskClient } from "@tenon/sdk/tasks/client";',
        'import { tasks } from "@tenon/sdk/tasks/server";',
        'import type { TaskStore } from "@tenon/sdk/tasks";',
        'const path = "tasks.db";',
        "function createReports(store: TaskStore) {",
        '  const server = new Server({ name: "reports", version: "1.0.0" }, { revisions: ["2025-11-25"] });',
        "  const engine = createTaskEngine({ store });",
        "  server.use(tasks({ engine }));",
        "  return { server, engine };",
        "}",
        'const requestedSchema = { type: "object", properties: { send: { type: "boolean" } } } as const;',
        'const client = new Client({ name: "host", version: "1" }, { elicitation: { form: () => ({ action: "decline" }) } });',
      ),
      `${guide}/tasks.ts#file`,
      `${guide}/tasks.ts#ask`,
      text("const kept = engine;", "{"),
      `${guide}/tasks.ts#host`,
      inMemory,
      text(
        'console.log((await session.callTool({ name: "ask" })).content);',
        "await session.close(); await engine.close();",
        "}",
        "await server.close(); await kept.close(); await store.close();",
      ),
    ],
    prints: "[ { type: 'text', text: 'decline' } ]",
  },
  {
    name: "interaction: a server asks for addresses, names, roots and samples over HTTP",
    parts: [
      text(
        'import { Server } from "@tenon/sdk/server";',
        'const server = new Server({ name: "shop", version: "1.0.0" });',
        "const warehouse = { reserve: async (_: string) => ({ id: 7 }), ship: async (..._: unknown[]) => {} };",
        "const dialog = {",
        '  ask: async (_: string, fields: readonly string[]) => Object.fromEntries(fields.map((name) => [name, name === "express" ? true : "Oslo, Karl Johans gate"])),',
        "  mayOpen: async () => true,",
        "};",
      ),
      `${library}/interaction-server.ts#order`,
      `${library}/interaction-server.ts#parallel`,
      `${library}/interaction-server.ts#sample`,
      `${library}/interaction-server.ts#page`,
      `${library}/interaction-server.ts#by-hand`,
      `${library}/interaction-client.ts#client`,
      overHttp,
      text(
        "const textOf = async (name: string, args = {}) => (await session.callTool({ name, arguments: args })).content;",
        'console.log(JSON.stringify([await textOf("order", { item: "tenon" }), await textOf("introduce"), await textOf("summary"), await textOf("connect-account")]));',
      ),
      `${library}/interaction-client.ts#rounds`,
      text("console.log(JSON.stringify(result.content));"),
      closed,
    ],
    prints:
      /Order 7 is on its way, by express[\s\S]*this is Oslo[\s\S]*I have read 1 message[\s\S]*Finish in the browser[\s\S]*decline/,
  },
  {
    name: "interaction, security: a server has keys for its state, and middleware that refuses calls",
    parts: [
      text(
        'const stateSecret = new Uint8Array(32); const userOf = () => "ada"; const onError = console.error;',
        "{",
      ),
      `${library}/interaction-server.ts#state`,
      text("console.log(server.info?.name ?? 'shop');", "}"),
      `${guide}/security.ts#server`,
      text(
        'import { Client } from "@tenon/sdk";',
        'server.addTool({ name: "open" }, () => "opened");',
        'const client = new Client({ name: "c", version: "1" });',
      ),
      inMemory,
      text(
        'console.log(await session.callTool({ name: "open" }).catch(({ message }) => message));',
        "await session.close();",
      ),
    ],
    prints: /^shop\nNot for you$/,
  },
  {
    name: "resources, prompts, completion, caching, progress, pagination, logging and subscriptions over HTTP",
    parts: [
      text(
        'const print = console.log; const account = () => "ada"; const publicFolder = "."; const seen: string[] = [];',
        'const uri = "notes://1/body"; const count = 1;',
        "const search = async (start: string, lang?: string) => [`${start}-join (${lang})`];",
        'const onReady = () => void session.callTool({ name: "write", arguments: { id: "1", text: "A mortise." } });',
      ),
      `${library}/library-server.ts#notes`,
      ...[
        "options",
        "prompts",
        "typed-prompt",
        "completion",
        "resource",
        "template",
        "files",
        "progress",
      ].map((name) => `${library}/library-server.ts#${name}`),
      `${library}/library-server.ts#log`,
      `${library}/library-server.ts#change`,
      `${library}/library-client.ts#client`,
      overHttp,
      ...["use-prompts", "read", "complete", "pages", "on-progress", "fresh", "watch"].map(
        (name) => `${library}/library-client.ts#${name}`,
      ),
      text("{"),
      `${library}/library-client.ts#listen`,
      text(
        "console.log(JSON.stringify({ texts, found, values: completion.values, pages, lines, tools: tools.length, seen, watched }));",
        "}",
      ),
      closed,
    ],
    prints:
      /"explain\(joint, audience\)"[\s\S]*there is no notes:\/\/9\/body[\s\S]*dado-join \(German\)[\s\S]*2\/2 note 2[\s\S]*A mortise\.[\s\S]*"watched":\["notes:\/\/1\/body"\]/,
  },
  {
    name: "host: servers of a file are connected to, listed, called and watched",
    parts: [
      text('const file = "mcp.json"; const print = console.log;'),
      `${guide}/host.ts#host`,
      `${guide}/host.ts#snapshot`,
      text("show();", "stop();"),
    ],
    beside: { server: greeter },
    files: {
      "mcp.json":
        '{ "mcpServers": { "greeter": { "command": "node", "args": ["$dir/server$ext"] }, "lost": { "command": "${NOT_SET}" } } }',
    },
    prints:
      /^lost is not used: [^\n]*\nready: greeter; still connecting: 0\nmcp__greeter__greet: Greets a person\.\n\[ \{ type: 'text', text: 'Hello, you!' \} \]\ngreeter is ready \(1\.0\.0\)$/,
    everywhere: true,
  },
  {
    name: "host: a model calls tools, a user approves, an OpenAI client gets messages",
    parts: [
      text(
        'import { Manager } from "@tenon/sdk/host";',
        'import { nodeTransports } from "@tenon/sdk/host/node";',
        'const askUser = async (question: string, _: AbortSignal) => question.startsWith("greeter wants");',
      ),
      `${guide}/host.ts#approve`,
      `${guide}/host.ts#agent`,
      `${guide}/host.ts#openai`,
      text(
        'const servers = { greeter: { type: "stdio", command: "node", args: [process.argv[2] ?? ""] } } as const;',
        "await using manager = new Manager({ servers, transports: nodeTransports(), policy: { approve } });",
        "await manager.connectAll();",
        "const model: Model = async (messages, tools) =>",
        '  messages.length === 1 ? [{ type: "tool_use", id: "1", name: tools[0]?.name ?? "", input: { name: "Ada" } }] : [{ type: "text", text: JSON.stringify(messages.at(-1)) }];',
        'console.log(await runAgent(manager, model, "Greet Ada"));',
        'const name = "mcp__greeter__greet";',
        'console.log(await callTools(manager, [{ type: "function", id: "2", function: { name, arguments: \'{"name":"Bob"}\' } }]));',
        "console.log((await toolsFor(manager)).length);",
      ),
    ],
    beside: { server: greeter },
    args: ["server$ext"],
    prints: /Hello, Ada![\s\S]*Hello, Bob![\s\S]*\n1$/,
  },
  {
    name: "HTTP: a client with a token calls a server with users, in one program",
    parts: [
      "packages/node/test/readme.test.ts#server",
      "packages/node/test/readme.test.ts#client",
      text("console.log(content);", "await listening.close();", "await server.close();"),
    ],
    prints: "[ { type: 'text', text: 'Hello, Ada!' } ]",
  },
  {
    name: "tools: schemas of every kind, results, errors, context, and typed calls",
    parts: [
      `${guide}/tools.ts#literal`,
      text("const load = async (..._: unknown[]) => {}; const names: string[] = [];"),
      ...["class", "zod", "results", "errors", "context", "define"].map(
        (name) => `${guide}/tools.ts#${name}`,
      ),
      text(
        'import { Client } from "@tenon/sdk";',
        "server.addTool(area);",
        'const client = new Client({ name: "c", version: "1" });',
      ),
      inMemory,
      `${guide}/tools.ts#call`,
      `${guide}/tools.ts#list`,
      `${guide}/tools.ts#change`,
      text("console.log(untyped.structuredContent, size, names.join());", "await session.close();"),
    ],
    prints: /^\{ city: 'Oslo', highs: \[ 21, 21, 21 \] \} 6 area,as_blocks,[a-z_,]*history$/,
  },
  {
    name: "lifecycle: limits, cancellation and the end of a session",
    parts: [
      text(
        'import { createInMemoryTransports } from "@tenon/sdk/memory";',
        "const [transport, far] = createInMemoryTransports(); const onError = console.error;",
        "const stopping = new AbortController();",
      ),
      `${guide}/lifecycle.ts#server`,
      `${guide}/lifecycle.ts#signal`,
      text("const running = (async (transport, stop) => {"),
      `${guide}/lifecycle.ts#run`,
      text("})(far, stopping.signal);"),
      `${guide}/lifecycle.ts#client`,
      `${guide}/lifecycle.ts#cancel`,
      text("console.log(await calling.catch(({ message }) => message));", "const ending = (async () => {"),
      `${guide}/lifecycle.ts#end`,
      text("})();", "stopping.abort();", "await running;", "console.log(await ending);"),
    ],
    prints: "the user left\nended in good order",
  },
  {
    name: "extensions: methods and notifications of an extension",
    parts: [
      text("const learn = (word: string) => console.log(`learned ${word}`);"),
      ...["define", "server", "client"].map((name) => `${guide}/extensions.ts#${name}`),
      text("const dictionary = server; const reader = client;"),
      `${guide}/extensions.ts#add`,
      inMemory,
      `${guide}/extensions.ts#use`,
      text("console.log(meaning);", "await session.close();"),
    ],
    prints: "learned tenon\nthe cut end of a beam",
  },
  {
    name: "apps: a client of a server with views offers the model what it may call",
    parts: [
      text(
        'const html = "<p>"; const dishes = ["soup", "stew"]; const counts = new Map<string, number>();',
        "const votes = () => Object.fromEntries(counts);",
        'const poll = { type: "object", properties: { votes: { type: "object" } }, required: ["votes"] } as const;',
      ),
      "examples/app/src/polls.ts#server",
      `${guide}/apps.ts#client`,
      inMemory,
      `${guide}/apps.ts#tools`,
      text("console.log(forTheModel.map(({ name }) => name).join());", "await session.close();"),
    ],
    prints: "lunch_poll",
  },
  {
    name: "skills: a folder of skills is served, listed, read, held and reloaded",
    parts: [
      text(
        'import { resolve } from "node:path";',
        'const folder = resolve("skills"); const show = console.log; const askUser = async () => true;',
      ),
      `${guide}/skills.ts#server`,
      `${guide}/skills.ts#reload`,
      `${guide}/skills.ts#client`,
      inMemory,
      `${guide}/skills.ts#read`,
      `${guide}/skills.ts#hold`,
      text("console.log(forms);", "await session.close();"),
    ],
    files: {
      "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Fills in forms.\n---\nRead on.\n",
      "skills/pdf/references/forms.md": "Forms.\n",
    },
    prints: /^pdf: Fills in forms\.\n[\s\S]*Read on\.[\s\S]*Forms\./,
  },
  {
    name: "transports: ports, broadcast channels, logged and wrapped transports",
    parts: [
      text(
        'import { Client } from "@tenon/sdk/client";',
        'import { Server } from "@tenon/sdk/server";',
        'import { createInMemoryTransports } from "@tenon/sdk/memory";',
        'const server = new Server({ name: "s", version: "1" });',
        'const client = new Client({ name: "c", version: "1" });',
        "const lines: string[] = []; const counts: Record<string, number> = {};",
        "{",
      ),
      `${guide}/transports.ts#port`,
      text("await session.ping(); await session.close();", "}", "{"),
      `${guide}/transports.ts#broadcast`,
      text("await session.ping(); await session.close(); await listener.close();", "}", "{"),
      text("const [inner, far] = createInMemoryTransports(); await server.connect(far);"),
      `${guide}/transports.ts#log`,
      text("await session.ping(); await session.close();", "}", "{"),
      text("const [inner, far] = createInMemoryTransports(); await server.connect(far);"),
      `${guide}/transports.ts#wrap`,
      text(
        "const session = await client.connect(transport); await session.ping(); await session.close();",
        "}",
        'console.log(lines.length > 2, (counts["read"] ?? 0) > 1);',
      ),
    ],
    prints: "true true",
  },
  {
    name: "errors, migrating, protocol versions, middleware and shared changes",
    parts: [
      text(
        'import { z } from "zod";',
        'import { RpcError } from "@tenon/sdk";',
        "const outcome = async (work: () => Promise<void>) => {",
      ),
      `${guide}/errors.ts#catch`,
      text("};", 'console.log(await outcome(() => Promise.reject(new RpcError(7, "no"))));'),
      "examples/middleware/src/logging.ts",
      text("{"),
      "tools/interop/test/migration/tenon.ts#server",
      text(
        "server.addReceivingMiddleware(logging((line) => console.log(line.replace(/ [\\d.]+ ms/, ''))));",
        'import { createInMemoryTransports } from "@tenon/sdk/memory";',
        "const [transport, far] = createInMemoryTransports(); await server.connect(far);",
      ),
      "tools/interop/test/migration/tenon.ts#client",
      text(
        "console.log(content);",
        "const first = () => { const [near, there] = createInMemoryTransports(); void server.connect(there); return near; };",
        "{",
      ),
      `${guide}/revisions.ts#prior`,
      text(
        "console.log(revision, era, later.revision); await session.close(); await later.close();",
        "}",
        "}",
        "{",
      ),
      `${guide}/revisions.ts#choose`,
      text("}", "const bus = { publish: console.log, subscribe: (_: unknown) => {} };", "{"),
      `${guide}/cluster.ts#node`,
      text('server.addTool({ name: "new" }, () => "");', "}"),
    ],
    // The change may be published before the program ends.
    prints:
      /^the server returned the error 7: no[\s\S]*tools\/call ok[\s\S]*Hello, you![\s\S]*2026-07-28 modern 2026-07-28(?:\n\{.*list_changed.*\})?$/,
  },
];
