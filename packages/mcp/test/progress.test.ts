import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { createLogger, type ReceivingMiddleware, type RequestContext, type Server } from "@tenon/mcp";
import type { LoggingMessageNotificationParams } from "@tenon/protocol";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { nameForm } from "./asking.ts";
import { converse, everyRevision } from "./conversation.ts";
import { connectPair, textOf } from "./pair.ts";

function addSteps(server: Server): void {
  server.addTool({ name: "steps" }, async (_, ctx) => {
    await ctx.progress(0.5, 3, "half");
    await ctx.progress(0.5, 3, "no further");
    await ctx.progress(0.25);
    await ctx.progress(Number.NaN);
    await ctx.progress(3, 3);
    return "done";
  });
  server.addPrompt({ name: "steps" }, async (_, ctx) => {
    await ctx.progress(1);
    return "done";
  });
}

const progress = (progressToken: string | number, params: object): object => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken, ...params },
});

test.each(everyRevision)(
  "progress is sent to who asks, growing, and with the token's type, in %s (S-100, S-102, S-103, R-431, R-432, R-436)",
  async (revision) => {
    await using it = await converse(revision, addSteps);
    await it.call("tools/call", { name: "steps" });
    expect(it.notifications).toEqual([]);
    const half = revision === "2024-11-05" ? {} : { message: "half" };
    for (const token of ["1", 1, 0, ""]) {
      await it.call("tools/call", { name: "steps" }, { progressToken: token });
      expect(it.notifications.splice(0)).toEqual([
        progress(token, { progress: 0.5, total: 3, ...half }),
        progress(token, { progress: 3, total: 3 }),
      ]);
    }
    await it.call("prompts/get", { name: "steps" }, { progressToken: "p" });
    expect(it.notifications.splice(0)).toEqual([progress("p", { progress: 1 })]);
    for (const token of [null, true, {}, [], 1.5]) {
      await it.call("tools/call", { name: "steps" }, { progressToken: token });
    }
    expect(it.notifications).toEqual([]);
  },
);

test.each(bothEras)(
  "each call hears its own progress, before its result, in %s (S-100, R-430)",
  async (revision) => {
    await using pair = await connectPair({ revision }, addSteps);
    const seen: string[] = [];
    const call = async (name: string): Promise<void> => {
      await pair.session.callTool(
        { name: "steps" },
        { onProgress: (report) => seen.push(`${name}${report.progress}`) },
      );
      seen.push(`${name} done`);
    };
    await Promise.all([call("a"), call("b")]);
    expect(seen.filter((entry) => entry.startsWith("a"))).toEqual(["a0.5", "a3", "a done"]);
    expect(seen.filter((entry) => entry.startsWith("b"))).toEqual(["b0.5", "b3", "b done"]);
  },
);

test.each(bothEras)(
  "values that do not increase are dropped over all rounds of one call, in %s (R-431)",
  async (revision) => {
    let runs = 0;
    const client = { elicitation: { form: () => ({ action: "decline" as const }) } };
    await using pair = await connectPair({ revision, client }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) => {
        runs++;
        for (const step of [1, 2, 3]) {
          await ctx.progress(step, 4);
        }
        await ctx.elicit({ message: "Who?", requestedSchema: nameForm });
        await ctx.progress(4, 4);
        return "";
      });
    });
    for (const _ of ["first", "second"]) {
      runs = 0;
      const seen: number[] = [];
      await pair.session.callTool({ name: "ask" }, { onProgress: (report) => seen.push(report.progress) });
      expect(seen).toEqual([1, 2, 3, 4]);
      expect(runs).toBe(revision === legacyRevision ? 1 : 2);
    }
  },
);

test("nothing is reported for a request that is over (R-431)", async () => {
  let late: RequestContext | undefined;
  await using it = await converse(legacyRevision, (server) => {
    server.addTool({ name: "keep" }, (_, ctx) => {
      late = ctx;
      return "";
    });
  });
  await it.call("tools/call", { name: "keep" }, { progressToken: 1 });
  await late?.progress(1).catch(() => {});
  await it.call("ping");
  expect(it.notifications).toEqual([]);
});

test("the tool of a server runs outside of the protocol too, with a context of its own making (S-104, S-147)", async () => {
  const tool = async (
    { n }: { n: number },
    ctx: Pick<RequestContext, "progress" | "log">,
  ): Promise<string> => {
    await ctx.progress(n, 2);
    await createLogger(ctx, { name: "db" }).info("halfway", { n });
    return `got ${n}`;
  };
  const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
  const served: unknown[] = [];
  const onLog = ({ level, data, logger }: LoggingMessageNotificationParams): void =>
    void served.push([level, data, logger]);
  await using pair = await connectPair({ server: { logging: true }, client: { onLog } }, (server) => {
    server.addTool({ name: "work", input }, tool);
  });
  const onProgress = ({ progress, total }: { progress: number; total?: number }): void =>
    void served.push([progress, total]);
  const result = await pair.session.callTool({ name: "work", arguments: { n: 1 } }, { onProgress });

  const seen: unknown[] = [];
  const context = {
    progress: async (...report: unknown[]) => void seen.push(report),
    log: async (...message: unknown[]) => void seen.push(message),
  };
  expect(await tool({ n: 1 }, context)).toBe(textOf(result));
  expect(seen).toEqual([
    [1, 2],
    ["info", { msg: "halfway", n: 1 }, "db"],
  ]);
  expect(served).toEqual(seen);
});

test.each(bothEras)(
  "reports that come too soon are dropped, the last one never, each request counting for itself, in %s (R-434, R-435)",
  async (revision) => {
    const clock = createVirtualClock();
    const counting = (server: Server): void =>
      server.addTool({ name: "count" }, async (_, ctx) => {
        for (let step = 1; step <= 10; step++) {
          await ctx.progress(step, 10);
          clock.advance(30);
        }
        return "";
      });
    await using it = await converse(revision, counting, { clock, limits: { progressIntervalMs: 100 } });
    for (const progressToken of ["one", "two"]) {
      await it.call("tools/call", { name: "count" }, { progressToken });
      expect(it.notifications.splice(0)).toEqual(
        [1, 5, 9, 10].map((step) => progress(progressToken, { progress: step, total: 10 })),
      );
    }
  },
);

test.each(bothEras)(
  "total and message may be left out, and the message arrives as the handler wrote it, in %s (R-433, R-434)",
  async (revision) => {
    await using pair = await connectPair({ revision }, (server) => {
      server.addTool({ name: "t" }, async (_, ctx) => {
        await ctx.progress(1);
        await ctx.progress(2, undefined, "Zwei von drei Dächern sind gedeckt");
        return "";
      });
    });
    const heard: object[] = [];
    await pair.session.callTool(
      { name: "t" },
      { onProgress: ({ progress: at, total, message: text }) => heard.push({ at, total, text }) },
    );
    expect(heard).toEqual([{ at: 1 }, { at: 2, text: "Zwei von drei Dächern sind gedeckt" }]);
  },
);

test("either side may report progress by itself; a token that nobody waits for is passed over (S-101, R-435)", async () => {
  await using pair = await connectPair({ revision: legacyRevision }, addSteps);
  const heard: unknown[] = [];
  type Seen = { readonly method: string; readonly params: Readonly<Record<string, unknown>> };
  function note<R extends Seen>(by: string): ReceivingMiddleware<R> {
    return (next) => (request) => {
      heard.push([by, request.method, request.params["progress"]]);
      return next(request);
    };
  }
  pair.server.addReceivingMiddleware(note("server"));
  pair.client.addReceivingMiddleware(note("client"));
  await pair.session.notify("notifications/progress", { progressToken: "t", progress: 1 });
  await pair.session.ping();
  const [serverSession] = pair.server.sessions();
  await serverSession?.notify("notifications/progress", { progressToken: "t", progress: 2 });
  await pair.session.ping();
  expect(heard).toEqual([
    ["server", "notifications/progress", 1],
    ["server", "ping", undefined],
    ["client", "notifications/progress", 2],
    ["server", "ping", undefined],
  ]);
});

test("progress that JSON cannot carry is not reported, nor such a total (R-432)", async () => {
  await using conversation = await converse(legacyRevision, (server) => {
    server.addTool({ name: "t" }, async (_, ctx) => {
      await ctx.progress(1, Number.NaN);
      await ctx.progress(Infinity);
      await ctx.progress(2, Infinity);
      return "";
    });
  });
  await conversation.call("tools/call", { name: "t" }, { progressToken: "p" });
  expect(conversation.notifications).toMatchObject([
    { params: { progressToken: "p", progress: 1 } },
    { params: { progressToken: "p", progress: 2 } },
  ]);
  expect(JSON.stringify(conversation.notifications)).not.toContain("total");
});
