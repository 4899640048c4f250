import { blobResource, McpError, Server, textResource, type ResourceDefinition } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, expectTypeOf, test } from "vitest";

import { converse, everyRevision, resultOf } from "./conversation.ts";

const bytes = new Uint8Array([0, 1, 254, 255]);

function addNotes(server: Server): void {
  server.addResource(
    {
      uri: "notes://1",
      name: "one",
      title: "One",
      mimeType: "text/markdown",
      size: 5,
      annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" },
      icons: [{ src: "https://example.com/a.png" }],
    },
    () => "# One",
  );
  server.addResource(
    { uri: "notes://blob", name: "blob", mimeType: "application/octet-stream" },
    () => bytes,
  );
  server.addResourceTemplate(
    { uriTemplate: "notes://{id}/{+path}", name: "any", title: "Any", mimeType: "text/plain" },
    ({ uri, variables }) => {
      expectTypeOf(variables).toEqualTypeOf<{ id: string; path: string }>();
      return variables.id === "gone" ? undefined : `${uri}: ${variables.id} ${variables.path}`;
    },
  );
}

test.each(everyRevision)(
  "resources and templates are listed as revision %s knows them (S-156, S-162, R-520)",
  async (revision) => {
    await using it = await converse(revision, addNotes);
    const hasTitle = revision >= "2025-06-18";
    const hasIcons = revision >= "2025-11-25";
    const { result } = await it.call("resources/list");
    expect(result?.["resources"]).toEqual([
      {
        uri: "notes://1",
        name: "one",
        mimeType: "text/markdown",
        size: 5,
        annotations: {
          audience: ["user"],
          priority: 0.5,
          ...(hasTitle ? { lastModified: "2026-01-01T00:00:00Z" } : {}),
        },
        ...(hasTitle ? { title: "One" } : {}),
        ...(hasIcons ? { icons: [{ src: "https://example.com/a.png" }] } : {}),
      },
      { uri: "notes://blob", name: "blob", mimeType: "application/octet-stream" },
    ]);
    const templates = await it.call("resources/templates/list");
    expect(templates.result?.["resourceTemplates"]).toEqual([
      {
        uriTemplate: "notes://{id}/{+path}",
        name: "any",
        mimeType: "text/plain",
        ...(hasTitle ? { title: "Any" } : {}),
      },
    ]);
  },
);

test.each(everyRevision)(
  "resources are read in revision %s, URI and media type filled in (S-153, S-155, S-158, R-512, R-553)",
  async (revision) => {
    await using it = await converse(revision, addNotes);
    const read = async (uri: string): Promise<unknown> =>
      (await it.call("resources/read", { uri })).result?.["contents"];
    expect(await read("notes://1")).toEqual([{ uri: "notes://1", mimeType: "text/markdown", text: "# One" }]);
    expect(await read("notes://blob")).toEqual([
      { uri: "notes://blob", mimeType: "application/octet-stream", blob: "AAH+/w==" },
    ]);
    expect(await read("notes://a%20b/c/d")).toEqual([
      { uri: "notes://a%20b/c/d", mimeType: "text/plain", text: "notes://a%20b/c/d: a b c/d" },
    ]);
  },
);

test.each(everyRevision)(
  "a resource that is not there has the code of revision %s and its URI (R-513, R-514, R-118, T-37)",
  async (revision) => {
    await using it = await converse(revision, addNotes);
    const code = eraOf(revision) === "modern" ? -32602 : -32002;
    for (const uri of ["notes://nothing", "other://1/2", "notes://gone/x", "", "notes://1#x"]) {
      expect(await it.call("resources/read", { uri })).toMatchObject({ error: { code, data: { uri } } });
    }
    expect(await it.call("resources/read", { uri: 7 })).toMatchObject({ error: { code: -32602 } });
    expect(await it.call("resources/read", {})).toMatchObject({ error: { code: -32602 } });
    expect(await it.call("resources/read", { uri: `notes://a/${"x".repeat(20_000)}` })).toMatchObject({
      error: { code: -32602 },
    });
  },
);

test("an exact resource goes before templates, and a longer beginning before a shorter one (S-153, S-157, S-158)", async () => {
  await using it = await converse(modernRevision, (server) => {
    server.addResourceTemplate({ uriTemplate: "{+all}", name: "all" }, () => "all");
    server.addResourceTemplate({ uriTemplate: "notes://{id}", name: "short" }, () => "short");
    server.addResourceTemplate({ uriTemplate: "notes://x-{id}", name: "long" }, () => "long");
    server.addResource({ uri: "notes://x-1", name: "exact" }, () => "exact");
  });
  const read = async (uri: string): Promise<unknown> => {
    const result = resultOf(await it.call("resources/read", { uri }));
    return (result["contents"] as { text: string }[])[0]?.text;
  };
  expect(await read("notes://x-1")).toBe("exact");
  expect(await read("notes://x-2")).toBe("long");
  expect(await read("notes://2")).toBe("short");
  expect(await read("any:thing")).toBe("all");
  it.server.removeResources("notes://x-1");
  it.server.removeResourceTemplates("notes://x-{id}");
  expect(await read("notes://x-1")).toBe("short");
});

test("a handler may return several contents, full results and its own caching hints (S-163, R-512, R-575)", async () => {
  await using it = await converse(
    modernRevision,
    (server) => {
      server.addResource({ uri: "dir:a", name: "a" }, async () => [
        textResource("dir:a/1", "one", "text/plain"),
        blobResource("dir:a/2", new Uint8Array([1])),
        { text: "three" },
      ]);
      server.addResource({ uri: "dir:b", name: "b", cache: { ttlMs: 5, cacheScope: "public" } }, () => "b");
      server.addResource({ uri: "dir:c", name: "c", cache: { ttlMs: 5 } }, () => ({
        contents: [{ text: "c" }],
        ttlMs: 9,
        cacheScope: "private",
        _meta: { "com.example/x": 1 },
      }));
    },
    { cache: { ttlMs: 1, methods: { "resources/list": { ttlMs: 7, cacheScope: "public" } } } },
  );
  const read = async (uri: string): Promise<unknown> => (await it.call("resources/read", { uri })).result;
  expect(await read("dir:a")).toMatchObject({
    ttlMs: 1,
    cacheScope: "private",
    contents: [
      { uri: "dir:a/1", mimeType: "text/plain", text: "one" },
      { uri: "dir:a/2", blob: "AQ==" },
      { uri: "dir:a", text: "three" },
    ],
  });
  expect(await read("dir:b")).toMatchObject({ ttlMs: 5, cacheScope: "public" });
  expect(await read("dir:c")).toMatchObject({
    ttlMs: 9,
    cacheScope: "private",
    _meta: { "com.example/x": 1 },
  });
  expect((await it.call("resources/list")).result).toMatchObject({ ttlMs: 7, cacheScope: "public" });
  expect((await it.call("tools/list")).result).toMatchObject({ ttlMs: 1, cacheScope: "private" });
});

test.each([{ ttlMs: -1 }, { ttlMs: 1.5 }, { ttlMs: Number.NaN }, { cacheScope: "shared" }])(
  "hints of a handler that the protocol does not allow are not sent: %j (R-575)",
  async (hints) => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const add = (server: Server): void =>
      server.addResource({ uri: "dir:c", name: "c" }, () => ({ contents: [], ...(hints as object) }));
    await using it = await converse(modernRevision, add, { onError });
    expect(await it.call("resources/read", { uri: "dir:c" })).toMatchObject({ error: { code: -32603 } });
    expect(errors).toMatchObject([{ code: "INVALID_DEFINITION" }]);
    await using legacy = await converse(legacyRevision, add);
    expect((await legacy.call("resources/read", { uri: "dir:c" })).result).toEqual({ contents: [] });
  },
);

test("legacy clients are not told caching hints (R-586)", async () => {
  await using it = await converse(legacyRevision, (server) => {
    server.addResource({ uri: "dir:c", name: "c", cache: { ttlMs: 5 } }, () => ({
      contents: [{ text: "c" }],
      ttlMs: 9,
    }));
  });
  const { result } = await it.call("resources/read", { uri: "dir:c" });
  expect(result).toEqual({ contents: [{ uri: "dir:c", text: "c" }] });
});

test("what a handler throws or wrongly returns does not leak (R-513)", async () => {
  await using it = await converse(modernRevision, (server) => {
    server.addResource({ uri: "dir:a", name: "a" }, () => {
      throw new Error("secret");
    });
    server.addResource({ uri: "dir:b", name: "b" }, () => 7 as unknown as string);
  });
  for (const uri of ["dir:a", "dir:b"]) {
    const { error } = await it.call("resources/read", { uri });
    expect(error).toEqual({ code: -32603, message: "Internal error" });
  }
});

test.each([
  [{ uri: "notes", name: "n" }],
  [{ uri: "notes://a b", name: "n" }],
  [{ uri: "notes://1", name: "" }],
  [{ uri: "notes://1", name: "n", cache: { ttlMs: -1 } }],
  [{ uri: "notes://1", name: "n", cache: { ttlMs: 1.5 } }],
])("the definition %j is refused (R-517)", (definition) => {
  const server = new Server({ name: "s", version: "1" });
  expect(() => server.addResource(definition as ResourceDefinition, () => "")).toThrow(McpError);
});

test("a template that is not valid is refused, and says where", () => {
  const server = new Server({ name: "s", version: "1" });
  expect(() => server.addResourceTemplate({ uriTemplate: "notes://{id", name: "n" }, () => "")).toThrow(
    /notes:\/\/\{id.*not valid/,
  );
});

test("a change of either list is told by the one notification there is (S-173, R-525)", async () => {
  await using it = await converse(legacyRevision, addNotes);
  it.server.addResourceTemplate({ uriTemplate: "x://{a}", name: "x" }, () => "");
  it.server.removeResources("notes://1");
  expect(await it.next()).toEqual({ jsonrpc: "2.0", method: "notifications/resources/list_changed" });
  const { result } = await it.call("resources/list");
  expect(result?.["resources"]).toHaveLength(1);
  expect(it.notifications).toEqual([]);
});

test.each(bothEras)(
  "prompts, resources and templates come in pages, by key, in %s (S-192, S-195, R-565, R-566, R-567, R-568)",
  async (revision) => {
    await using it = await converse(
      revision,
      (server) => {
        for (let index = 0; index < 5; index++) {
          server.addPrompt({ name: `p${index}` }, () => "");
          server.addResource({ uri: `r:${index}`, name: "r" }, () => "");
          server.addResourceTemplate({ uriTemplate: `t:${index}{x}`, name: "t" }, () => "");
        }
      },
      { limits: { pageSize: 2 } },
    );
    for (const [method, member, key] of [
      ["prompts/list", "prompts", "name"],
      ["resources/list", "resources", "uri"],
      ["resources/templates/list", "resourceTemplates", "uriTemplate"],
    ] as const) {
      const seen: string[] = [];
      let cursor: unknown;
      do {
        const { result } = await it.call(method, cursor === undefined ? {} : { cursor });
        const items = result?.[member] as Record<string, string>[];
        expect(items.length).toBeLessThanOrEqual(2);
        seen.push(...items.map((item) => item[key] ?? ""));
        cursor = result?.["nextCursor"];
      } while (cursor !== undefined);
      expect(seen).toHaveLength(5);
      expect(seen).toEqual([...seen].toSorted());
      expect(await it.call(method, { cursor: "nonsense" })).toMatchObject({ error: { code: -32602 } });
    }
  },
);

test("a last page that is full has no cursor, and without a page size a page has 1000 entries (S-193, S-197)", async () => {
  const addPrompts =
    (count: number) =>
    (server: Server): void => {
      for (let index = 0; index < count; index++) {
        server.addPrompt({ name: `p${index}` }, () => "");
      }
    };
  await using full = await converse(legacyRevision, addPrompts(4), { limits: { pageSize: 2 } });
  const first = resultOf(await full.call("prompts/list"));
  expect(first["nextCursor"]).toEqual(expect.any(String));
  const last = resultOf(await full.call("prompts/list", { cursor: first["nextCursor"] }));
  expect(last["prompts"]).toHaveLength(2);
  expect(last).not.toHaveProperty("nextCursor");
  await using whole = await converse(legacyRevision, addPrompts(4), { limits: { pageSize: 4 } });
  expect(resultOf(await whole.call("prompts/list"))).not.toHaveProperty("nextCursor");

  await using byDefault = await converse(legacyRevision, addPrompts(1001));
  const page = resultOf(await byDefault.call("prompts/list"));
  expect(page["prompts"]).toHaveLength(1000);
  expect(
    resultOf(await byDefault.call("prompts/list", { cursor: page["nextCursor"] }))["prompts"],
  ).toHaveLength(1);
});

test.each([
  ["prompts/list", "prompts", "name"],
  ["resources/list", "resources", "uri"],
  ["resources/templates/list", "resourceTemplates", "uriTemplate"],
] as const)(
  "entries that come and go between two pages of %s neither repeat nor skip others (S-194)",
  async (method, member, key) => {
    const add = (server: Server, ...names: readonly string[]): void => {
      for (const name of names) {
        server.addPrompt({ name }, () => "");
        server.addResource({ uri: `x:${name}`, name }, () => "");
        server.addResourceTemplate({ uriTemplate: `x:${name}{v}`, name }, () => "");
      }
    };
    await using it = await converse(legacyRevision, (server) => add(server, "b", "d", "e", "f"), {
      limits: { pageSize: 2 },
    });
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const result = resultOf(await it.call(method, cursor === undefined ? {} : { cursor }));
      seen.push(...(result[member] as Record<string, string>[]).map((item) => item[key] ?? ""));
      if (cursor === undefined) {
        add(it.server, "a", "c");
        it.server.removePrompts("b");
        it.server.removeResources("x:b");
        it.server.removeResourceTemplates("x:b{v}");
      }
      cursor = result["nextCursor"];
    } while (cursor !== undefined);
    expect(seen.map((name) => name.replace(/^x:|\{v\}$/g, ""))).toEqual(["b", "d", "e", "f"]);
  },
);

test("a page size that makes no sense is refused (S-196)", () => {
  expect(() => new Server({ name: "s", version: "1" }, { limits: { pageSize: -1 } })).toThrow(McpError);
  expect(() => new Server({ name: "s", version: "1" }, { limits: { pageSize: 1.5 } })).toThrow(McpError);
  expect(() => new Server({ name: "s", version: "1" }, { limits: { pageSize: 0 } })).toThrow(McpError);
});

test.each(bothEras)(
  "what is no regular file may say so by its media type, in %s (R-519)",
  async (revision) => {
    const mimeType = "inode/directory";
    await using it = await converse(revision, (server) => {
      server.addResource({ uri: "file:///data/", name: "work", mimeType }, () => "a.txt\nb.txt");
    });
    expect(await it.call("resources/list")).toMatchObject({ result: { resources: [{ mimeType }] } });
    expect(await it.call("resources/read", { uri: "file:///data/" })).toMatchObject({
      result: { contents: [{ uri: "file:///data/", mimeType, text: "a.txt\nb.txt" }] },
    });
  },
);

test.each([
  ["resources", (server: Server) => server.removeResources("notes://1", "no:such")],
  ["templates", (server: Server) => server.removeResourceTemplates("notes://{id}/body", "no:such{x}")],
])("%s are removed by their name on the wire, and that is told once (S-157)", async (_, remove) => {
  await using it = await converse(legacyRevision, (server) => {
    server.addResource({ uri: "notes://1", name: "one" }, () => "");
    server.addResourceTemplate({ uriTemplate: "notes://{id}/body", name: "body" }, () => "");
  });
  const count = async (): Promise<number> => {
    const resources = resultOf(await it.call("resources/list"))["resources"] as unknown[];
    const templates = resultOf(await it.call("resources/templates/list"))["resourceTemplates"] as unknown[];
    return resources.length + templates.length;
  };
  expect(await count()).toBe(2);
  remove(it.server);
  expect(await it.next()).toEqual({ jsonrpc: "2.0", method: "notifications/resources/list_changed" });
  expect(await count()).toBe(1);
  it.server.removeResources("no:such");
  it.server.removeResourceTemplates("no:such{x}");
  await it.call("ping");
  expect(it.notifications).toEqual([]);
});

test.each([
  ["doc://admin", "doc://%61dmin"],
  ["doc://%61dmin", "DOC://admin"],
  ["https://example.com", "https://example.com/"],
  ["file:///a", "file:///x/../a"],
])("a resource may have only one spelling: %s and %s are refused together", (one, other) => {
  const server = new Server({ name: "server", version: "1.0.0" });
  server.addResource({ uri: one, name: "one" }, () => "");
  expect(() => server.addResource({ uri: other, name: "other" }, () => "")).toThrow("defined already");
  server.removeResources(other);
  server.addResource({ uri: other, name: "other" }, () => "");
});

test.each(["doc:a/../b", "https://[::1", "notes://../a"])("the resource %s has no canonical URI", (uri) => {
  const server = new Server({ name: "server", version: "1.0.0" });
  expect(() => server.addResource({ uri, name: "one" }, () => "")).toThrow("has no canonical form");
});

test.each(everyRevision)(
  "a resource is read by every spelling, and its handler gets its own, in %s",
  async (revision) => {
    const seen: string[] = [];
    const setUp = (server: Server): void => {
      server.addReceivingMiddleware((next) => (request) => {
        if (request.method === "resources/read") {
          seen.push(String(request.params["uri"]));
        }
        return next(request);
      });
      server.addResource({ uri: "Notes://caf\u00E9", name: "one" }, ({ uri }) => uri);
      server.addResourceTemplate(
        { uriTemplate: "Notes://t/{id}", name: "two" },
        ({ uri, variables }) => `${uri} ${variables.id}`,
      );
    };
    await using it = await converse(revision, setUp);
    const read = async (uri: string): Promise<unknown> => {
      const answer = await it.call("resources/read", { uri });
      return answer.result?.["contents"] ?? answer.error;
    };
    for (const uri of ["Notes://caf\u00E9", "notes://caf%c3%a9", "NOTES://%63af%C3%A9"]) {
      expect(await read(uri)).toMatchObject([{ uri: "Notes://caf\u00E9", text: "Notes://caf\u00E9" }]);
    }
    expect(await read("NOTES://t/%7e\u00E9%2f")).toMatchObject([{ text: "notes://t/~%C3%A9%2F ~\u00E9/" }]);
    expect(await read("notes://t/\uD800")).toMatchObject({ code: -32602 });
    expect(await read("notes://../t/x")).toMatchObject({
      code: -32602,
      message: expect.stringContaining("no canonical form"),
    });
    expect(new Set(seen)).toEqual(new Set(["Notes://caf\u00E9", "notes://t/~%C3%A9%2F"]));
  },
);
