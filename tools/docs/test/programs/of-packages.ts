import { readFileSync } from "node:fs";

import { text, type Documented } from "./documented.ts";

const guide = "tools/docs/test/guide";
const bookshop = new URL("../../../../packages/openapi/test/documents/bookshop.yaml", import.meta.url);

/** The programs of docs and of the packages' own pages that import other packages. */
export const ofPackages: readonly Documented[] = [
  {
    name: "jsonrpc: a language server reads from standard input, and ends with it",
    parts: [
      "examples/language-server/src/content-length.ts#framing",
      "examples/language-server/src/cancel-request.ts#cancellation",
      "examples/language-server/src/server.ts#server",
    ],
    input:
      'Content-Length: 82\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null}}        ',
    prints: /^Content-Length: \d+\s+\{"jsonrpc":"2\.0","id":1,"result":\{"capabilities"/,
  },
  {
    name: "jsonrpc2: two peers divide in memory, and a call is cancelled",
    parts: [
      "packages/transports-memory/test/readme.test.ts#methods",
      "packages/transports-memory/test/readme.test.ts#peers",
      text(
        "{",
        "const client = { call: (..._: unknown[]) => new Promise((_, fail) => (_[2] as any)) };",
        "}",
      ),
    ],
    prints: "0.25\nDivision by zero",
  },
  {
    name: "jsonschema: values are checked, defaulted and explained",
    parts: ["packages/jsonschema/test/readme/validate.ts"],
    prints:
      'query: expected at least 1 character, received 0\nlimmit: the property "limmit" is not allowed; did you mean "limit"?',
  },
  {
    name: "jsonschema: types from a literal, a class, a model and zod",
    parts: ["packages/jsonschema/test/readme/types.ts"],
    prints: /^2026\n20 /,
  },
  {
    name: "jsonschema: formats of your own",
    parts: ["packages/jsonschema/test/readme/formats.ts"],
    prints: 'mail: expected the format email, received "nobody"\ntrue',
  },
  {
    name: "uri-template and protocol: values without a connection",
    parts: [
      text(
        'import { parse } from "@tenon/uri-template";',
        'const file = parse("file:///{+path}{?line,tag*}");',
        'const uri = file.expand({ path: "src/index.ts", line: 7, tag: ["a", "b c"] });',
        'console.log(uri, file.match("file:///src/index.ts?tag=b%20c&line=7"));',
      ),
      "packages/protocol/test/example.ts",
      text("console.log(row !== undefined, result.content);"),
    ],
    prints: /^file:\/\/\/src\/index\.ts\?line=7&tag=a&tag=b%20c [\s\S]*true \[/,
  },
  {
    name: "tasks: an engine without MCP keeps a task in a file, asks, and returns its result",
    parts: ["packages/tasks/test/readme.test.ts#engine", text('console.log(await demo("engine.db"));')],
    prints: /reservation of a lamp, to Paris/,
  },
  {
    name: "openapi: the operations of a document are tools and resources, with credentials, and are read in pages",
    parts: [
      text(
        'import { Client } from "@tenon/sdk";',
        'const path = "bookshop.yaml";',
        "const tokens = { of: async () => 'token' };",
        "const answers = ['</v1/books?author=Lem&page=2>; rel=next', ''];",
        "globalThis.fetch = async (url) => Response.json({ books: [String(url)] }, { headers: { link: answers.shift() ?? '' } });",
      ),
      "packages/openapi/test/readme.test.ts#start",
      "packages/openapi/test/readme.test.ts#offer",
      "packages/openapi/test/readme.test.ts#credentials",
      text("const client = new Client({ name: 'c', version: '1.0.0' });"),
      text(
        'import { createInMemoryTransports } from "@tenon/sdk/memory";',
        "const [near, far] = createInMemoryTransports(); await server.connect(far);",
        "const session = await client.connect(near);",
      ),
      "packages/openapi/test/readme.test.ts#pages",
      text("await session.close();"),
    ],
    files: { "bookshop.yaml": readFileSync(bookshop, "utf8") },
    prints:
      "resource covers_getCover, tool covers_setCover\n" +
      "{ books: [ 'https://bookshop.example/v1/books?author=Lem' ] }\n" +
      "{ books: [ 'https://bookshop.example/v1/books?author=Lem&page=2' ] }",
  },
  {
    name: "store-sqlite: stores in a file",
    parts: [
      text('const path = "stores.db";'),
      "packages/store-sqlite/test/readme.test.ts#open",
      text("console.log(typeof engine.start);"),
    ],
    prints: "function",
  },
  {
    name: "testing: a server is paired with a client, recorded, and replayed without it",
    parts: [
      "packages/testing/test/readme.test.ts#pair",
      text(
        'import { createInMemoryTransports } from "@tenon/sdk/memory";',
        "const [transport, far] = createInMemoryTransports(); await server.connect(far);",
      ),
      "packages/testing/test/readme.test.ts#cassette",
      text("console.log(content, replayed.content);"),
    ],
    prints: "[ { type: 'text', text: 'Hello!' } ] [ { type: 'text', text: 'Hello!' } ]",
  },
  {
    name: "sse: a client of 2024-11-05 calls a server of its time",
    parts: [
      text('import { once } from "node:events";', "let port = 0;"),
      `${guide}/sse.ts#sse-server`,
      text('await once(http, "listening"); port = (http.address() as { port: number }).port;'),
      `${guide}/sse.ts#sse-client`,
      text(
        'console.log((await session.callTool({ name: "greet" })).content);',
        "await session.close(); await handler.close(); http.close();",
      ),
    ],
    prints: "[ { type: 'text', text: 'Hello!' } ]",
  },
  {
    name: "stdio: a peer calls a program, whose console goes to standard error",
    parts: [
      text('const serverPath = process.argv[2] ?? "";'),
      "packages/transports-stdio/test/readme.test.ts#client",
      "packages/transports-stdio/test/readme.test.ts#shutdown",
    ],
    beside: { greeter: ["packages/transports-stdio/test/fixtures/greeter.ts#server"] },
    args: ["greeter$ext"],
    // What the server logs comes through a pipe of its own, before the response or after it.
    prints: /^(?:greeting you\nhi you|hi you\ngreeting you)\n\{ code: 0, signal: null \}$/,
    everywhere: true,
  },
  {
    name: "message: peers over a broadcast channel",
    parts: [
      text('import { Peer } from "@tenon/jsonrpc2";'),
      "packages/transports-message/test/readme.test.ts#broadcast",
      text("console.log(answer);"),
    ],
    prints: "{ a: 1 }",
  },
  {
    name: "testing: a pair, a report, a lock, faults, load and a handler alone",
    parts: [
      text(
        'import { Server } from "@tenon/sdk/server";',
        'const server = new Server({ name: "s", version: "1" }); const revision = "2025-11-25"; const file = "lock.json";',
      ),
      `${guide}/testing.ts#handler`,
      text("addCountdown(server);"),
      `${guide}/testing.ts#pair`,
      text("const { session } = connected;", "console.log(result.content);"),
      `${guide}/testing.ts#check`,
      `${guide}/testing.ts#lock`,
      `${guide}/testing.ts#alone`,
      text("{"),
      `${guide}/testing.ts#faults`,
      text("console.log(result.content, reported.join(), text);", "}"),
      `${guide}/testing.ts#load`,
    ],
    prints:
      /^\[ \{ type: 'text', text: 'lift-off' \} \]\n\[ .*lift-off.* \] 1,2,3 lift-off\np50 [\d.]+ ms, p99 [\d.]+ ms$/,
  },
  {
    name: "operations: rules of a server, its drain at SIGTERM, and its exit",
    parts: [
      text(
        'import { createMemoryRateLimits } from "@tenon/stores";',
        'import { createStreamableHandler } from "@tenon/sdk/http";',
        "const rates = createMemoryRateLimits(); const store = () => {};",
        "const logger = console;",
      ),
      "packages/operations/test/readme.test.ts#server",
      `${guide}/operations.ts#visible`,
      `${guide}/operations.ts#log`,
      text(
        'import { listen } from "@tenon/sdk/node";',
        "const handler = createStreamableHandler({ getServer: () => server });",
        "const listening = await listen(handler, { port: 0, routes: [health] });",
        'process.once("SIGTERM", () => void health.drain({ noticeMs: 1, close: [listening, server, audit] }).then(() => console.log("drained")));',
        'console.log("ready");',
      ),
    ],
    until: /ready\n/,
    prints: "ready\ndrained",
  },
];
