import type { Server, ServerOptions } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { converse, everyRevision, resultOf, type Conversation } from "./conversation.ts";

const lists = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

/** Adds as many items to every list. */
function fill(server: Server, count: number): void {
  for (let index = 0; index < count; index++) {
    server.addTool({ name: `t${index}` }, () => "");
    server.addPrompt({ name: `p${index}` }, () => "");
    server.addResource({ uri: `r:${index}`, name: "r" }, () => "");
    server.addResourceTemplate({ uriTemplate: `t:${index}{x}`, name: "t" }, () => "");
  }
}

/** The number of items on each page of a list. */
async function pagesOf(conversation: Conversation, method: string, name: string): Promise<number[]> {
  const pages: number[] = [];
  let cursor: unknown;
  do {
    const result = resultOf(await conversation.call(method, cursor === undefined ? {} : { cursor }));
    pages.push((result[name] as unknown[]).length);
    cursor = result["nextCursor"];
  } while (cursor !== undefined);
  return pages;
}

test.each([
  ["a last page that is full", 4, { limits: { pageSize: 2 } }, [2, 2]],
  ["a last page that is not full", 5, { limits: { pageSize: 2 } }, [2, 2, 1]],
  ["a list of one page", 2, { limits: { pageSize: 2 } }, [2]],
] as const)(
  "%s has no nextCursor, in every version (S-193)",
  async (_, count, options: ServerOptions, sizes) => {
    for (const revision of everyRevision) {
      await using conversation = await converse(revision, (server) => fill(server, count), options);
      for (const [method, name] of lists) {
        expect([revision, method, await pagesOf(conversation, method, name)]).toEqual([
          revision,
          method,
          sizes,
        ]);
      }
    }
  },
);

test.each([undefined, 1000])(
  "lists come in pages of 1000 if pageSize is %s (S-196, S-197)",
  async (pageSize) => {
    await using conversation = await converse(legacyRevision, (server) => fill(server, 1001), {
      limits: { pageSize },
    });
    for (const [method, name] of lists) {
      expect([method, await pagesOf(conversation, method, name)]).toEqual([method, [1000, 1]]);
    }
  },
);
