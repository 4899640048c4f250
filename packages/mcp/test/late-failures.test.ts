import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { forbidUnhandledRejections, macrotask } from "./asking.ts";
import { connectPair } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";

// Callbacks that return nothing may be given as async functions. What they reject with reaches
// `onError`, and never the process.
forbidUnhandledRejections();

const failing = (what: unknown): unknown =>
  macrotask().then(() => {
    throw new Error(`late: ${JSON.stringify(what) ?? ""}`);
  });

test("a report of progress that cannot be shown", async () => {
  await using pair = await connectPair({ revision: legacyRevision }, (server) => {
    server.addTool({ name: "t" }, async (_, ctx) => {
      await ctx.progress(1);
      return "";
    });
  });
  await pair.session.callTool({ name: "t" }, { onProgress: ({ progress }) => failing(progress) });
  await macrotask();
  await macrotask();
  expect(pair.errors).toMatchObject([{ message: "late: 1" }]);
});

test("news of roots, of finished pages and of changes that cannot be handled", async () => {
  const client = {
    roots: [],
    elicitation: { url: () => ({ action: "cancel" as const }), onComplete: failing },
  };
  const server = { onRootsListChanged: () => failing("roots") };
  await using pair = await connectPair({ revision: legacyRevision, client, server }, () => {});
  pair.client.addRoots({ uri: "file:///a" });
  await pair.session.ping();
  const [session] = pair.server.sessions();
  await session?.notify("notifications/elicitation/complete", { elicitationId: "e" });
  await pair.session.ping();
  await macrotask();
  await macrotask();
  expect(pair.errors).toMatchObject([{ message: 'late: "roots"' }, { message: 'late: "e"' }]);
});

test("changes that cannot be handled, and errors that cannot be reported", async () => {
  const reported: unknown[] = [];
  const onError = (error: unknown): unknown => {
    reported.push(error);
    return failing("the report itself");
  };
  await using wire = await openServerWire(modernRevision, { onError }, { tools: { listChanged: true } });
  const opening = wire.session.listen(
    { toolsListChanged: true },
    { onChange: ({ method }) => failing(method) },
  );
  const { id } = await wire.next();
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  const notifications = { toolsListChanged: true };
  await wire.send({ method: "notifications/subscriptions/acknowledged", params: { notifications, _meta } });
  await opening;
  await wire.send({ method: "notifications/tools/list_changed", params: { _meta } });
  for (let turn = 0; turn < 5; turn++) {
    await macrotask();
  }
  expect(reported).toMatchObject([{ message: 'late: "notifications/tools/list_changed"' }]);
});
