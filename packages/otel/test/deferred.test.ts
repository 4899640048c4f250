import diagnosticsChannel from "node:diagnostics_channel";

import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  Client,
  createSuspension,
  deferredChannel,
  defineServerExtension,
  Server,
  ToolError,
  type DeferredCall,
  type DeferredFacts,
  type DeferredRun,
  type RequestContext,
} from "@tenon/mcp";
import { instrument, type InstrumentOptions } from "@tenon/otel";
import type { CallToolResult } from "@tenon/protocol";
import { modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { startTelemetry } from "./telemetry.ts";

/** A call that was kept. */
interface Kept {
  readonly facts: DeferredFacts;
  /** Runs the tool, as a worker does. */
  run(signal?: AbortSignal): Promise<unknown>;
}

const channel = diagnosticsChannel.channel(deferredChannel);

/** A server whose tools with the option `later` are called now and run later. */
function laterServer(options: InstrumentOptions): { server: Server; kept: Kept[] } {
  const kept: Kept[] = [];
  const server = new Server({ name: "measured", version: "1.0.0" });
  server.use(
    defineServerExtension({
      id: "com.example/later",
      setup: (_, host) => {
        host.addToolOption("later", {
          call: ({ tool: { name: tool }, request }) => {
            let facts: DeferredFacts = {};
            const call: DeferredCall = { kind: "call", server, tool, keep: (given) => (facts = given) };
            channel.publish(call);
            const run = (signal: AbortSignal = new AbortController().signal): Promise<unknown> => {
              const task = { id: "t_1", attempt: 2 };
              const context = { signal, revision: request.revision, task } as unknown as RequestContext;
              let wrapped = (): Promise<CallToolResult> => host.runTool(tool, {}, context);
              const wrap: DeferredRun["wrap"] = (around) => {
                const inner = wrapped;
                wrapped = () => around(inner);
              };
              const event: DeferredRun = { kind: "run", server, tool, context, facts, wrap };
              channel.publish(event);
              return wrapped();
            };
            kept.push({ facts, run });
            return { content: [] };
          },
        });
      },
    }),
  );
  const later = { later: true } as object;
  server.addTool({ name: "report", ...later }, () => "done");
  server.addTool({ name: "broken", ...later }, () => {
    throw new ToolError("out of paper");
  });
  server.addTool({ name: "asks", ...later }, () => {
    throw createSuspension("Suspended until there is a response.");
  });
  instrument(server, options);
  return { server, kept };
}

/** Calls a tool of {@link laterServer}, and returns the kept call. */
async function callLater(tool: string, options: InstrumentOptions = {}): Promise<Kept> {
  const { server, kept } = laterServer(options);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client({ name: "measuring", version: "1.0.0" }, { revisions: [modernRevision] });
  instrument(client);
  const session = await client.connect(here);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
  });
  await session.callTool({ name: tool });
  return kept[0] as Kept;
}

test("a run of a task is a trace of its own, with a link to the span of the call that created it", async () => {
  await using telemetry = startTelemetry();
  const { run } = await callLater("report");
  await run();
  const call = telemetry.named("tools/call report", SpanKind.SERVER);
  const ran = telemetry.named("task report");
  expect(ran.parentSpanContext).toBeUndefined();
  expect(ran.spanContext().traceId).not.toBe(call.spanContext().traceId);
  expect(ran.links.map((link) => link.context)).toMatchObject([
    { traceId: call.spanContext().traceId, spanId: call.spanContext().spanId },
  ]);
  expect(ran.attributes).toEqual({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "report",
    "tenon.task.id": "t_1",
    "tenon.task.attempt": 2,
  });
  const [point] = await telemetry.points("tenon.task.run.duration");
  expect(point?.attributes).toEqual({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "report",
  });
});

test("only a run that fails is an error; one that waits for a response is not", async () => {
  await using telemetry = startTelemetry();
  await (await callLater("broken")).run();
  await expect((await callLater("asks")).run()).rejects.toThrow("Suspended");
  const broken = telemetry.named("task broken");
  expect(broken.attributes["error.type"]).toBe("tool_error");
  expect(broken.status).toEqual({ code: SpanStatusCode.ERROR, message: "out of paper" });
  expect(telemetry.named("task asks").status.code).toBe(SpanStatusCode.UNSET);
});

test("a run that was ended has the code of the reason", async () => {
  await using telemetry = startTelemetry();
  const { run } = await callLater("broken");
  await run(AbortSignal.abort(Object.assign(new Error("gone"), { code: "TASK_CANCELLED" })));
  expect(telemetry.named("task broken").attributes["error.type"]).toBe("task_cancelled");
});

test("without a provider nothing is kept with a call, and its run is not changed", async () => {
  const { facts, run } = await callLater("report");
  expect(facts).toEqual({});
  await expect(run()).resolves.toMatchObject({ content: [{ text: "done" }] });
});

test("a program that wants no spans of calls gets no spans of runs", async () => {
  await using telemetry = startTelemetry();
  const { run } = await callLater("report", { spans: (method) => method !== "tools/call" });
  await run();
  expect(telemetry.spans().map(({ name }) => name)).not.toContain("task report");
  expect(await telemetry.points("tenon.task.run.duration")).toHaveLength(1);
});

test("an option that throws errors fails no run", async () => {
  await using telemetry = startTelemetry();
  const { run } = await callLater("report", {
    spans() {
      throw new Error("The list of methods is not loaded.");
    },
  });
  await expect(run()).resolves.toMatchObject({ content: [{ text: "done" }] });
  expect(telemetry.named("task report")).toBeDefined();
});
