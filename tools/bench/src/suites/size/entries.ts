import type { Condition } from "./measure.ts";

/** A number of bytes that is not to be exceeded. */
export interface Ceiling {
  /** Most bytes after gzip. */
  readonly limit: number;
  /** What the limit should be. Default: the limit. */
  readonly goal?: number;
}

/** Something that is bundled to see how big it is. */
export interface Entry {
  readonly name: string;
  /** The source of the module to bundle. */
  readonly code: string;
  /** Default `browser`. */
  readonly condition?: Condition | undefined;
  /** What is loaded before the entry runs. */
  readonly atStart?: Ceiling | undefined;
  /**
   * Files that the entry loads by `import()` in every run. They count as loaded before it runs.
   */
  readonly always?: readonly string[] | undefined;
  /** With all that may be loaded later. */
  readonly inAll?: Ceiling | undefined;
  /** Packages of which nothing is loaded before it is used. */
  readonly later?: readonly string[] | undefined;
  /**
   * The program that has the rest of the code: the sizes are what this entry adds to it. By default
   * the entry counts as a whole.
   */
  readonly beside?: string | undefined;
}

const kilobyte = 1024;

/** At most so many kilobytes after gzip; `goal` where the number should be another. */
const most = (kilobytes: number, goal?: number): Ceiling => ({
  limit: kilobytes * kilobyte,
  ...(goal === undefined ? {} : { goal: goal * kilobyte }),
});

const tool = `server.addTool(
  { name: "add", description: "adds", input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] } },
  ({ a }) => String(a),
);`;

const stdioServer = (server: string, stdio: string): string => `import { Server } from "${server}";
import { StdioTransport } from "${stdio}";
const server = new Server({ name: "one", version: "1.0.0" });
${tool}
await server.run(new StdioTransport());`;

/** A stateless server, with further imports and options. */
const webServer = (imports = "", options = ""): string => `import { Server } from "@tenon/mcp/server";
import { createStatelessHandler } from "@tenon/transports-streamable-http/server";
${imports}
const server = new Server({ name: "one", version: "1.0.0" });
${tool}
const handler = createStatelessHandler({ getServer: () => server, allowedHosts: ["example.com"]${options} });
export default { fetch: (request) => handler.fetch(request) };`;

const guardImport = `import { createGuard } from "@tenon/auth/server";`;
const guarded = (verify: string): string =>
  `, ...createGuard({ resource: "https://example.com/mcp", verify: ${verify} })`;
const jwtGuarded = guarded(`jwt({ issuer: "https://login.example.com" })`);

/** What users bundle, with the budgets; and peers to compare with. */
export const entries: readonly Entry[] = [
  {
    name: "login of clients by the code flow",
    code: `import { authorizationCode, createOAuth } from "@tenon/auth/client";
globalThis.client = [authorizationCode, createOAuth];`,
    atStart: most(16.5, 15),
    inAll: most(30.4, 15),
    later: ["oauth4webapi"],
  },
  {
    name: "login of clients by the code flow, with proofs of possession",
    code: `import { authorizationCode, createOAuth, dpop } from "@tenon/auth/client";
globalThis.client = [authorizationCode, createOAuth, dpop];`,
    atStart: most(18, 16.5),
    inAll: most(31.9, 18),
    later: ["oauth4webapi"],
  },
  {
    name: "guard of access tokens, with all that it shares with handlers",
    code: `${guardImport}
globalThis.guard = createGuard;`,
    atStart: most(6.3, 4),
  },
  {
    name: "guard of access tokens, beside a stateless server",
    code: webServer(guardImport, guarded("globalThis.verify")),
    condition: "workerd",
    beside: webServer(),
    atStart: most(4.25, 4),
    inAll: most(4.25, 4),
  },
  {
    name: "verification of JWTs with jose, beside a guarded server",
    code: webServer(`${guardImport}\nimport { jwt } from "@tenon/auth/jwt";`, jwtGuarded),
    condition: "workerd",
    beside: webServer(guardImport, guarded("globalThis.verify")),
    atStart: most(8.2, 8),
    inAll: most(8.2, 8),
  },
  {
    name: "stdio server with one tool",
    code: stdioServer("@tenon/mcp/server", "@tenon/transports-stdio/server"),
    condition: "node",
    always: ["/session.lazy.js"],
    atStart: most(42, 39),
    inAll: most(83, 77),
  },
  {
    name: "stdio server with one tool, from the umbrella",
    code: stdioServer("@tenon/sdk/server", "@tenon/sdk/stdio"),
    condition: "node",
    always: ["/session.lazy.js"],
    atStart: most(42, 39),
    inAll: most(83.4, 77),
  },
  {
    name: "client and server",
    code: `export { Client, Server } from "@tenon/mcp";`,
    atStart: most(49.1, 47),
  },
  {
    name: "stateless server with one tool for Workers",
    code: webServer(),
    condition: "workerd",
    atStart: most(44),
  },
  {
    name: "HTTP client, browsers",
    code: `export { StreamableClientTransport } from "@tenon/transports-streamable-http/client";`,
    atStart: most(17.1, 16),
  },
  {
    name: "HTTP client, Node",
    code: `export { StreamableClientTransport } from "@tenon/transports-streamable-http/client";`,
    condition: "node",
    atStart: most(17.8, 40),
    later: ["undici"],
  },
  {
    name: "view of an app, with its transport",
    code: `export { applyHostStyles, connectView } from "@tenon/apps/view";`,
    atStart: most(5.5),
  },
  {
    name: "stdio client",
    code: `export { CommandTransport } from "@tenon/sdk/stdio";`,
    condition: "node",
    later: ["cross-spawn"],
  },
  {
    name: "handler for stateless servers",
    code: `export { createStatelessHandler } from "@tenon/transports-streamable-http/server";`,
    condition: "workerd",
  },
  {
    name: "handler for servers with sessions",
    code: `export { createStreamableHandler } from "@tenon/transports-streamable-http/server";`,
    condition: "node",
  },
  { name: "jsonrpc2, a peer", code: `export { Peer } from "@tenon/jsonrpc2";`, atStart: most(7.7, 7) },
  {
    name: "jsonrpc2, what a transport needs",
    code: `export { connectionClosed, isLocalError, LocalError } from "@tenon/jsonrpc2";
export { ndjsonConnection } from "@tenon/jsonrpc2/stream";
export { writeAccepted } from "@tenon/jsonrpc2/transport";`,
  },
  {
    name: "transports-message",
    code: `export * from "@tenon/transports-message";`,
    atStart: most(11.1, 10),
  },
  { name: "testing/cassette", code: `export * from "@tenon/testing/cassette";`, atStart: most(11.2, 9) },
  { name: "transports-memory", code: `export * from "@tenon/transports-memory";`, atStart: most(3.9, 3) },
  { name: "uri-template", code: `export * from "@tenon/uri-template";`, atStart: most(4) },
  {
    name: "jsonschema/core, closures",
    code: `export { compile } from "@tenon/jsonschema/core";`,
    atStart: most(18, 14),
  },
  {
    name: "jsonschema/core, what a server needs",
    code: `export { compile, explain, resolveSchema, tryCompile } from "@tenon/jsonschema/core";`,
  },
  {
    name: "jsonschema, validator with all formats",
    code: `export { compile } from "@tenon/jsonschema";`,
    atStart: most(35, 25),
  },
  {
    name: "jsonschema, everything with classes and code generator",
    code: `export * from "@tenon/jsonschema";`,
    condition: "node",
    atStart: most(44.65, 25),
  },
];

/** The same with other packages, for comparison. */
export const peers: readonly Entry[] = [
  {
    name: "peer: ajv 2020 + formats",
    code: `export { Ajv2020 } from "ajv/dist/2020.js";\nexport { default as formats } from "ajv-formats";`,
  },
  { name: "peer: cfworker", code: `export { Validator } from "@cfworker/json-schema";` },
  {
    name: "peer: official v2, server with one tool",
    code: `import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
const server = new McpServer({ name: "one", version: "1.0.0" });
server.registerTool("add", { description: "adds", inputSchema: z.object({ a: z.number() }) }, ({ a }) => ({
  content: [{ type: "text", text: String(a) }],
}));
await server.connect(new StdioServerTransport());`,
    condition: "node",
  },
  {
    name: "peer: official v2, stateless HTTP server with one tool for Workers",
    code: `import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "one", version: "1.0.0" });
  server.registerTool("add", { description: "adds", inputSchema: z.object({ a: z.number() }) }, ({ a }) => ({
    content: [{ type: "text", text: String(a) }],
  }));
  return server;
});
export default { fetch: (request) => handler.fetch(request) };`,
    condition: "workerd",
  },
];
