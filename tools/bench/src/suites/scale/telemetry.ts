import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { instrument, type InstrumentOptions } from "@tenon/otel";
import { createInMemoryTransports } from "@tenon/transports-memory";

import { allocationLoop, noAllocationLoop } from "../../loops/allocation.ts";
import { sequentialLoop } from "../../loops/async.ts";
import type { Subject } from "../../runner.ts";

export const works = {
  time: "a call in memory",
  memory: "heap of a call in memory",
  middleware: "heap of the middleware itself",
} as const;

/** The servers, as the table names them. */
export const candidates = {
  bare: "not instrumented",
  idle: "instrumented, no tracer",
  traced: "instrumented, with a tracer",
} as const;

const ignore: SpanProcessor = {
  onStart: () => undefined,
  onEnd: () => undefined,
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

/** Connects a client to a server that is instrumented with these options. */
async function connect(options?: InstrumentOptions): Promise<ClientSession> {
  const server = new Server({ name: "bench", version: "1.0.0" });
  server.addTool({ name: "echo" }, () => "echo");
  if (options !== undefined) {
    instrument(server, options);
  }
  const [here, there] = createInMemoryTransports();
  const client = new Client({ name: "bench", version: "1.0.0" });
  const [session] = await Promise.all([client.connect(here), server.connect(there)]);
  return session;
}

/** The receiving middleware of an instrumented server, around a handler that does nothing. */
function middlewareOf(options: InstrumentOptions): () => unknown {
  let handle: (request: never) => unknown = () => undefined;
  const server = {
    addTool: () => undefined,
    addReceivingMiddleware(wrap: (next: (request: never) => unknown) => typeof handle) {
      handle = wrap(handle);
    },
    addSendingMiddleware: () => undefined,
  };
  instrument(server as unknown as Server, options);
  const request = { method: "tools/call", params: { name: "echo" }, meta: {} } as never;
  return () => handle(request);
}

/** Calls of a server that reports to OpenTelemetry, and of one that does not. */
export async function telemetrySubjects(): Promise<Subject[]> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new BasicTracerProvider({ spanProcessors: [ignore] });
  const sessions = [
    [candidates.bare, await connect()],
    [candidates.idle, await connect({})],
    [candidates.traced, await connect({ tracer: provider.getTracer("bench") })],
  ] as const;
  const alone: Subject = {
    candidate: candidates.idle,
    work: works.middleware,
    sample: noAllocationLoop(middlewareOf({})),
  };
  const all = sessions.flatMap(([candidate, session]): Subject[] => {
    const call = async (): Promise<void> => {
      const { isError } = await session.callTool({ name: "echo" });
      if (isError === true) {
        throw new Error("Expected a result, got an error.");
      }
    };
    return [
      { candidate, work: works.time, sample: sequentialLoop(call, { calls: 5000 }) },
      { candidate, work: works.memory, sample: allocationLoop(call) },
    ];
  });
  return [alone, ...all];
}
