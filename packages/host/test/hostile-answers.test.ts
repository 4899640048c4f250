import { samples } from "@tenon/samples";
import { bothEras } from "@tenon/test-support";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { bridgeTool, isHostError, Manager, toEngineResult } from "../src/index.ts";
import { addEcho, localServer } from "./fixture.ts";

// Whatever a server answers, and whatever is then done with it: a host gets an answer or a
// HostError, and its process goes on.

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

const key = fc.constantFrom(
  ...["tools", "prompts", "resources", "resourceTemplates", "contents", "content", "messages", "name", "uri"],
  ...[
    "uriTemplate",
    "text",
    "blob",
    "type",
    "nextCursor",
    "ttlMs",
    "cacheScope",
    "inputSchema",
    "annotations",
  ],
  ...["resource", "data", "mimeType", "structuredContent", "isError", "_meta", "description", "__proto__"],
);
const leaf = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  1e300,
  "",
  "x",
  "text",
  "image",
  "resource",
  "x:1",
  "public",
);
const { answer } = fc.letrec<{ answer: unknown; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(key, tie("value")), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries) as object),
  ),
  answer: fc
    .array(fc.tuple(key, tie("value")), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries) as object),
}));

test.each(bothEras)(
  "whatever a server of %s answers, its host gets an answer or an error that says so",
  async (revision) => {
    let answers: (method: string) => unknown = () => ({});
    const odd = localServer(
      (server) => {
        addEcho(server);
        server.addPrompt({ name: "p" }, () => "");
        server.addResourceTemplate({ uriTemplate: "x:{id}", name: "x" }, () => "");
      },
      { server: { revisions: [revision] } },
    );
    const hooked = /^(?:tools|prompts|resources)\//;
    odd.server.addReceivingMiddleware(
      (next) => (request) => (hooked.test(request.method) ? answers(request.method) : next(request)),
    );
    await using manager = new Manager({
      servers: { odd: odd.spec },
      breaker: { failureThreshold: Infinity },
    });
    await manager.connectAll();
    const settle = async (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => {
        expect(isHostError(error), String(error)).toBe(true);
      });
    await fc.assert(
      fc.asyncProperty(answer as fc.Arbitrary<object>, async (made) => {
        answers = () => structuredClone(made);
        manager.invalidateServer("odd");
        await settle(manager.readResource("odd", "x:1"));
        await settle(manager.getPrompt("odd", "p"));
        const called = settle(manager.callTool("odd", "echo"));
        const result = (await called) as Parameters<typeof toEngineResult>[0] | undefined;
        if (result !== undefined) {
          expect(Array.isArray(toEngineResult(result).content)).toBe(true);
        }
        odd.server.addTool({ name: "new" }, () => "");
        odd.server.removeTools("new");
        for (const tool of await manager.tools()) {
          expect(typeof bridgeTool(tool, manager).description).toBe("string");
        }
        await Promise.all([manager.prompts(), manager.resources(), manager.resourceTemplates()]);
      }),
      { numRuns: samples(300) },
    );
    await new Promise(setImmediate);
    expect(unhandled).toEqual([]);
  },
);
