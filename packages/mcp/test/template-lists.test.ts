import type { Server } from "@tenon/mcp";
import { eraOf, type Resource } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { converse, everyRevision, resultOf, type Conversation } from "./conversation.ts";

const named = (...uris: readonly string[]): Resource[] => uris.map((uri) => ({ uri, name: uri }));

/**
 * A server with two resources of its own, and two templates that list what is in `files` and
 * `notes`.
 */
function addListed(server: Server, files: Resource[], notes: Resource[]): void {
  server.addResource({ uri: "own:1", name: "own:1" }, () => "");
  server.addResource({ uri: "own:2", name: "own:2" }, () => "");
  server.addResourceTemplate(
    {
      uriTemplate: "note:{id}",
      name: "note",
      description: "A note",
      mimeType: "text/plain",
      list: async () => notes,
    },
    () => "",
  );
  server.addResourceTemplate({ uriTemplate: "files:{id}", name: "file", list: () => files }, () => "");
  server.addResourceTemplate({ uriTemplate: "made:{id}", name: "made" }, () => "");
}

/** The URIs of every page. */
async function pagesOf(it: Conversation, between?: (page: number) => void): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: unknown;
  do {
    const result = resultOf(await it.call("resources/list", cursor === undefined ? {} : { cursor }));
    pages.push((result["resources"] as Resource[]).map(({ uri }) => uri));
    between?.(pages.length);
    cursor = result["nextCursor"];
  } while (cursor !== undefined);
  return pages;
}

test.each(everyRevision)("resources that templates list follow the server's own, in %s", async (revision) => {
  const setUp = (server: Server): void =>
    addListed(server, named("files:b", "files:a", "own:1"), named("note:1"));
  await using it = await converse(revision, setUp);
  const { resources, ...rest } = resultOf(await it.call("resources/list"));
  expect(resources).toEqual([
    { uri: "own:1", name: "own:1" },
    { uri: "own:2", name: "own:2" },
    { uri: "files:a", name: "files:a" },
    { uri: "files:b", name: "files:b" },
    { uri: "note:1", name: "note:1", description: "A note", mimeType: "text/plain" },
  ]);
  expect(rest).not.toHaveProperty("nextCursor");
  expect(rest["resultType"]).toBe(eraOf(revision) === "modern" ? "complete" : undefined);
});

test.each([
  [1, [["own:1"], ["own:2"], ["files:a"], ["files:b"], ["note:1"]]],
  [2, [["own:1", "own:2"], ["files:a", "files:b"], ["note:1"]]],
  [
    3,
    [
      ["own:1", "own:2", "files:a"],
      ["files:b", "note:1"],
    ],
  ],
  [5, [["own:1", "own:2", "files:a", "files:b", "note:1"]]],
])("lists of templates come in pages of %i, and none is empty", async (pageSize, pages) => {
  const setUp = (server: Server): void => addListed(server, named("files:b", "files:a"), named("note:1"));
  await using it = await converse(legacyRevision, setUp, { limits: { pageSize } });
  expect(await pagesOf(it)).toEqual(pages);
});

test("what comes and goes in the list of a template between two pages neither repeats nor skips others (S-194)", async () => {
  const files = named("files:b", "files:d", "files:e");
  const notes = named("note:1");
  await using it = await converse(modernRevision, (server) => addListed(server, files, notes), {
    limits: { pageSize: 3 },
  });
  const pages = await pagesOf(it, (page) => {
    if (page === 1) {
      files.splice(0, 1, ...named("files:a", "files:c"));
    }
  });
  expect(pages).toEqual([["own:1", "own:2", "files:b"], ["files:c", "files:d", "files:e"], ["note:1"]]);
});

test("a list may depend on who asks, and a template is gone with its list", async () => {
  await using it = await converse(modernRevision, (server) => {
    server.addResource({ uri: "own:1", name: "own:1" }, () => "");
    server.addResourceTemplate(
      {
        uriTemplate: "of:{who}",
        name: "of",
        list: ({ meta }) => named(`of:${String(meta["com.example/who"])}`),
      },
      () => "",
    );
  });
  const list = async (who: string): Promise<unknown> =>
    resultOf(await it.call("resources/list", {}, { "com.example/who": who }))["resources"];
  expect(await list("ada")).toEqual(named("own:1", "of:ada"));
  expect(await list("bob")).toEqual(named("own:1", "of:bob"));
  it.server.removeResourceTemplates("of:{who}");
  expect(await list("bob")).toEqual(named("own:1"));
});

test.each([
  ["no array", "resources"],
  ["an entry without a name", [{ uri: "files:a" }]],
  ["an entry that is null", [null]],
])("a list that returns %s fails the request, and onError says whose it is", async (_, returned) => {
  const errors: unknown[] = [];
  await using it = await converse(
    legacyRevision,
    (server) =>
      server.addResourceTemplate(
        { uriTemplate: "x:{id}", name: "x", list: () => returned as never },
        () => "",
      ),
    { onError: (error) => void errors.push(error) },
  );
  expect(await it.call("resources/list")).toMatchObject({
    error: { code: -32603, message: "Internal error" },
  });
  expect(errors).toMatchObject([
    { message: expect.stringContaining("The list of resource template x:{id} must return") as string },
  ]);
});

test("cursors into lists of templates that the server did not make are refused with -32602", async () => {
  await using it = await converse(legacyRevision, (server) => addListed(server, [], []));
  for (const text of ["", "[]", "[1,2]", "null", '{"0":"a","1":"b"}', "not json"]) {
    expect(await it.call("resources/list", { cursor: `2${btoa(text)}` })).toMatchObject({
      error: { code: -32602 },
    });
  }
  expect(await it.call("resources/list", { cursor: "2?" })).toMatchObject({ error: { code: -32602 } });
  const definition = { uriTemplate: "a:{b}", name: "a", list: "own:1" as never };
  expect(() => it.server.addResourceTemplate(definition, () => "")).toThrow(
    'The list of resource template "a:{b}" must be a function; got string.',
  );
});

test.each(bothEras)("resourcesChanged tells clients that a list has changed, in %s", async (revision) => {
  await using it = await converse(revision, (server) => addListed(server, [], []));
  const method = "notifications/resources/list_changed";
  if (eraOf(revision) === "modern") {
    await it.send(1, "subscriptions/listen", { notifications: { resourcesListChanged: true } });
    expect(await it.next()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
  }
  it.server.resourcesChanged();
  expect(await it.next()).toMatchObject({ method });
});
