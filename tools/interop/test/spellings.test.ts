import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";

import { visiblePrompts, visibleResources, visibleTools } from "@tenon/operations";
import { scopePolicy } from "@tenon/sdk/auth/server";
import { Client, type ClientSession } from "@tenon/sdk/client";
import { fileResourceHandler } from "@tenon/sdk/file-resources";
import {
  createStreamableHandler,
  StreamableClientTransport,
  type StreamableHandlerOptions,
} from "@tenon/sdk/http";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { createNodeListener } from "@tenon/sdk/node";
import { isResourceNotFound, RpcError, Server, type AuthInfo, type ServerRequest } from "@tenon/sdk/server";
import { createSkillCatalog, skills } from "@tenon/sdk/skills/server";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { expect, onTestFinished, test } from "vitest";

import { equivalent, lookalikes, secretUri } from "./fixtures/spellings.ts";

const spellings = [...equivalent, ...lookalikes];
const info = { name: "spellings", version: "1.0.0" };
const policy = scopePolicy({
  default: "deny",
  methods: { "server/discover": [], "resources/unsubscribe": [] },
  resources: { [secretUri]: ["admin"], "notes://team/*": ["read"] },
});

type Rule = "scopePolicy as authorize" | "scopePolicy as middleware" | "visibleResources" | "own middleware";
type Shape = "memory" | "memory, legacy" | "HTTP" | "HTTP, session" | "HTTP, legacy without a session";

/** What the template serves: as a file system would find it, or by the exact value. */
type Meaning = (path: string) => string;
const byPath: Meaning = (path) =>
  posix
    .normalize(`/${path.replaceAll("\\", "/").replace(/[?#].*$/, "")}`)
    .slice(1)
    .replace(/\/$/, "");
const byValue: Meaning = (path) => path;

/** A server with one secret, for one user. */
function serverWith(rule: Rule, meaning: Meaning, isAdmin: boolean, watched: string[] = []): Server {
  const server = new Server(info, {
    limits: { listChangedDelayMs: 0 },
    capabilities: { resources: { subscribe: true } },
    onSubscribe: (uri) => void watched.push(uri),
    onUnsubscribe: () => {},
  });
  server.addResourceTemplate(
    { uriTemplate: "notes://team/{+path}", name: "note" },
    ({ variables: { path } }) => {
      const found = meaning(path);
      return found === "my-secret" ? "TOP SECRET" : found === "open" ? "open" : undefined;
    },
  );
  if (rule === "scopePolicy as middleware") {
    server.addReceivingMiddleware(policy.middleware);
  } else if (rule === "visibleResources") {
    server.addReceivingMiddleware(...visibleResources((_, uri) => uri !== secretUri || isAdmin));
  } else if (rule === "own middleware") {
    server.addReceivingMiddleware((next) => (request) => {
      if (urisOf(request).includes(secretUri) && !isAdmin) {
        throw new RpcError(1403, "Not for you");
      }
      return next(request);
    });
  }
  return server;
}

function urisOf({ params }: ServerRequest): readonly unknown[] {
  const filter = params["notifications"] as { resourceSubscriptions?: string[] } | undefined;
  return [params["uri"], ...(filter?.resourceSubscriptions ?? [])];
}

/** Connects a user to a server. */
async function connect(
  server: Server,
  shape: Shape,
  rule: Rule,
  scopes: readonly string[],
): Promise<ClientSession> {
  const isLegacy = shape.includes("legacy") || shape.includes("session");
  const client = new Client(info, {
    revisions: [isLegacy ? legacyRevision : modernRevision],
    onError: () => {},
    cache: false,
  });
  onTestFinished(() => client.close());
  if (shape.startsWith("memory")) {
    const [here, there] = createInMemoryTransports();
    onTestFinished(() => server.close({ drainMs: 0 }));
    await server.connect(there);
    return client.connect(here);
  }
  return client.connect(
    await serve({
      getServer: () => server,
      authenticate: () => ({ principal: scopes.join(), scopes }),
      ...(rule === "scopePolicy as authorize" ? { authorize: policy.authorize } : {}),
      ...(shape === "HTTP, legacy without a session" ? { sessions: false } : {}),
    }),
  );
}

async function connectWith(
  server: Server,
  authorize: StreamableHandlerOptions["authorize"],
): Promise<ClientSession> {
  const client = new Client(info, { revisions: [modernRevision] });
  onTestFinished(() => client.close());
  const authenticate = (): AuthInfo => ({ principal: "ann", scopes: ["read"] });
  return client.connect(await serve({ getServer: () => server, authenticate, authorize }));
}

async function serve(options: StreamableHandlerOptions): Promise<StreamableClientTransport> {
  const handler = createStreamableHandler(options);
  const http = createServer(createNodeListener(handler));
  onTestFinished(async () => {
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  return new StreamableClientTransport(`${await originOnFreePort(http)}/mcp`);
}

const overHttp = ["HTTP", "HTTP, session", "HTTP, legacy without a session"] as const;
const everywhere = ["memory", "memory, legacy", ...overHttp] as const;
const cases: readonly (readonly [Rule, Shape, Meaning])[] = [
  ...overHttp.map((shape) => ["scopePolicy as authorize", shape, byPath] as const),
  ...overHttp.map((shape) => ["scopePolicy as middleware", shape, byPath] as const),
  ...everywhere.map((shape) => ["visibleResources", shape, byValue] as const),
  ...everywhere.map((shape) => ["own middleware", shape, byValue] as const),
];

test.each(cases)("no spelling of a URI passes %s over %s", async (rule, shape, meaning) => {
  const stranger = await connect(serverWith(rule, meaning, false), shape, rule, ["read"]);
  const admin = await connect(serverWith(rule, meaning, true), shape, rule, ["admin", "read"]);
  const read = (session: ClientSession, uri: string): Promise<string> =>
    session.readResource({ uri }).then(
      (result) => JSON.stringify(result),
      () => "refused",
    );
  expect(await read(stranger, "notes://team/open")).toContain("open");
  const leaking: string[] = [];
  for (const uri of spellings) {
    if ((await read(stranger, uri)) !== "refused") {
      leaking.push(uri);
    }
  }
  expect(leaking).toEqual([]);
  // Rules do not hide the resource from those who may read it, however they write it.
  const unread: string[] = [];
  for (const uri of equivalent) {
    if (!(await read(admin, uri)).includes("TOP SECRET")) {
      unread.push(uri);
    }
  }
  expect(unread).toEqual([]);
});

test.each(["memory, legacy", "HTTP, session"] as const)(
  "no spelling subscribes to a hidden resource over %s, and every spelling of an open one does",
  async (shape) => {
    const watched: string[] = [];
    const rule = "visibleResources";
    const stranger = await connect(serverWith(rule, byValue, false, watched), shape, rule, ["read"]);
    for (const uri of spellings) {
      await stranger.subscribe({ uri }).catch(() => {});
    }
    expect(watched).not.toContain(secretUri);

    const server = serverWith(rule, byValue, true);
    const admin = await connect(server, shape, rule, ["admin"]);
    for (const uri of ["notes://team/my-secret", ...equivalent.slice(1, 12)]) {
      const updates = admin.watch(uri);
      const first = updates.next();
      await updates.ready;
      server.resourceUpdated("NOTES://team/./my%2Dsecret");
      expect((await first).value).toEqual({ uri });
      await updates.close();
    }
  },
);

test.each(["memory", "HTTP"] as const)(
  "a listen over %s leaves out every spelling of a hidden resource, and updates name a resource as its client does",
  async (shape) => {
    const rule = "visibleResources";
    const server = serverWith(rule, byValue, false);
    const stranger = await connect(server, shape, rule, ["read"]);
    await using hidden = await stranger.listen(
      { resourceSubscriptions: [...equivalent, "notes://team/%6Fpen"] },
      { onChange: () => {} },
    );
    expect(hidden.honoured).toEqual({ resourceSubscriptions: ["notes://team/%6Fpen"] });

    const open = serverWith(rule, byValue, true);
    const admin = await connect(open, shape, rule, ["admin"]);
    for (const uri of equivalent) {
      const updates = admin.watch(uri);
      const first = updates.next();
      await updates.ready;
      open.resourceUpdated(secretUri);
      expect((await first).value).toMatchObject({ uri });
      await updates.close();
    }
  },
);

test.each(bothEras)(
  "completion, names of tools and prompts have one spelling only, in %s",
  async (revision) => {
    const server = new Server(info);
    const secrets: string[] = [];
    const complete = (): string[] => {
      secrets.push("completed");
      return ["TOP SECRET"];
    };
    const isOpen = (_: unknown, name: string): boolean => !/^(?:notes:..private.|delete|private)/.test(name);
    server.addResourceTemplate(
      { uriTemplate: "notes://private/{id}", name: "private", complete: { id: complete } },
      () => "TOP SECRET",
    );
    server.addTool({ name: "delete" }, () => void secrets.push("called"));
    server.addPrompt({ name: "private" }, () => "TOP SECRET");
    server.addReceivingMiddleware(
      ...visibleResources(isOpen),
      ...visibleTools(isOpen),
      ...visiblePrompts(isOpen),
    );
    const [here, there] = createInMemoryTransports();
    onTestFinished(() => server.close({ drainMs: 0 }));
    await server.connect(there);
    const client = new Client(info, { revisions: [revision] });
    const session = await client.connect(here);
    const argument = { name: "id", value: "" };
    const templates = [
      "notes://private/{id}",
      "NOTES://private/{id}",
      "notes://%70rivate/{id}",
      "notes://private/%7Bid%7D",
      "notes://private/./{id}",
      "notes://x/../private/{id}",
      "notes://private/{+id}",
      "notes://private/{id} ",
    ];
    for (const uri of templates) {
      await expect(session.complete({ ref: { type: "ref/resource", uri }, argument })).rejects.toThrow(
        "not found",
      );
    }
    for (const name of [
      "delete",
      "Delete",
      "DELETE",
      "%64elete",
      "delete ",
      " delete",
      "delete\u0000",
      "d\u0435lete",
      "\uFF44elete",
      "de\u200Blete",
    ]) {
      await expect(session.request("tools/call", { name })).rejects.toThrow("Unknown tool");
    }
    for (const name of ["private", "PRIVATE", "%70rivate", "private ", "priva\u200Bte", "private\n"]) {
      await expect(session.getPrompt({ name })).rejects.toThrow("Unknown prompt");
    }
    expect(secrets).toEqual([]);
  },
);

test("files and skills: a rule over a folder counts for every spelling of its files", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tenon-spellings-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, "private"));
  writeFileSync(join(dir, "private", "a.txt"), "TOP SECRET");
  writeFileSync(join(dir, "open.txt"), "open");
  const server = new Server(info);
  server.addResourceTemplate({ uriTemplate: "file:///{+path}", name: "files" }, fileResourceHandler({ dir }));
  const manifest = "---\nname: private\ndescription: TOP SECRET\n---\nTOP SECRET";
  server.use(
    skills(
      await createSkillCatalog([{ path: "private", files: { "SKILL.md": manifest, "a.txt": "TOP SECRET" } }]),
    ),
  );
  const rule = scopePolicy({
    default: "deny",
    methods: { "server/discover": [] },
    resources: {
      "file:///*": ["read"],
      "FILE:/%70rivate/*": ["admin"],
      "skill://*": ["read"],
      "skill://private/*": ["admin"],
    },
  });
  const asked = ["file:///open.txt", "file:/open.txt", "FILE://LOCALHOST/open%2Etxt"];
  const forbidden = ["", "private/../", "x/../", "./", "%2e/", "x/%2E%2e/", "../", "%2E%2e/../"].flatMap(
    (way) =>
      [
        "private/a.txt",
        "%70rivate/a.txt",
        "private/%61.txt",
        "private//a.txt",
        "private/./a.txt",
        "private/a.txt?",
        "private/a.txt#",
        "private/a.txt/",
        "private%2Fa.txt",
        "private\\a.txt",
      ].flatMap((path) =>
        [
          "file:///",
          "file:/",
          "FILE:///",
          "file://localhost/",
          "file:",
          "file:\\\\\\",
          "file:////",
          "skill://",
          "SKILL://",
          "skill:///",
        ].map((start) => start + way + path),
      ),
  );
  const session = await connectWith(server, rule.authorize);
  for (const uri of asked) {
    expect((await session.readResource({ uri })).contents).toMatchObject([{ text: "open" }]);
  }
  const results = await Promise.allSettled(forbidden.map((uri) => session.readResource({ uri })));
  expect(forbidden.filter((_, index) => results[index]?.status === "fulfilled")).toEqual([]);
});

test("a hidden resource and a missing one get the same error, which has the client's spelling", async () => {
  const session = await connect(
    serverWith("visibleResources", byValue, false),
    "memory",
    "visibleResources",
    [],
  );
  const errorOf = async (uri: string): Promise<unknown> =>
    session.readResource({ uri }).catch((error: unknown) => error);
  for (const uri of equivalent) {
    const hidden = await errorOf(uri);
    const missing = await errorOf(uri.replace(/t$/, "s").replace(/%74$/, "s"));
    expect(isResourceNotFound(hidden) && isResourceNotFound(missing)).toBe(true);
    expect(hidden).toMatchObject({ data: { uri: uri.slice(0, 2048) } });
    expect((missing as RpcError).code).toBe((hidden as RpcError).code);
  }
});
