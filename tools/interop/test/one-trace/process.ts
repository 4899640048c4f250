import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, SimpleSpanProcessor, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { instrument } from "@tenon/otel";
import { Client, Server } from "@tenon/sdk";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/sdk/http";
import { CommandTransport, StdioTransport } from "@tenon/sdk/stdio";
import { createTaskEngine, type TaskEngine } from "@tenon/sdk/tasks";
import { taskClient } from "@tenon/sdk/tasks/client";
import { tasks } from "@tenon/sdk/tasks/server";
import { createSqliteStores } from "@tenon/store-sqlite";
import Database from "libsql";

// One of four processes: `host` starts `front` and calls it over standard input and output, `front`
// calls `server` over HTTP, and `worker` runs the tasks that `server` keeps in the database.
const [role = "", receiver = "", place = ""] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const naming: SpanProcessor = {
  onStart: (span) => void span.setAttribute("role", role),
  onEnd: () => undefined,
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
const exporting = new SimpleSpanProcessor(new OTLPTraceExporter({ url: receiver }));
const provider = new BasicTracerProvider({ spanProcessors: [naming, exporting] });
trace.setGlobalTracerProvider(provider);

function tracedClient(): Client {
  const client = new Client({ name: role, version: "1.0.0" });
  client.use(taskClient());
  instrument(client);
  return client;
}

function tracedServer(): Server {
  const server = new Server({ name: role, version: "1.0.0" });
  instrument(server);
  return server;
}

/** The server of tasks, which runs at most so many of them itself. */
function reports(maxRunning: number): { server: Server; engine: TaskEngine } {
  const store = createSqliteStores(new Database(place)).tasks;
  const engine = createTaskEngine({ store, limits: { maxRunning, sweepIntervalMs: 20, pollIntervalMs: 20 } });
  const server = tracedServer();
  server.use(tasks({ engine }));
  server.addTool({ name: "report", task: "required" }, () => `written by the ${role}`);
  return { server, engine };
}

switch (role) {
  case "host": {
    const client = tracedClient();
    const args = [...process.execArgv, process.argv[1] ?? "", "front", receiver, place];
    const session = await client.connect(new CommandTransport({ command: process.execPath, args }));
    const { content } = await session.callTool({ name: "relay" });
    say(JSON.stringify(content));
    await client.close();
    await provider.shutdown();
    break;
  }
  case "front": {
    const client = tracedClient();
    const session = await client.connect(new StreamableClientTransport(place));
    const server = tracedServer();
    server.addTool({ name: "relay" }, async () => {
      const { content } = await session.callTool({ name: "report" });
      return { content };
    });
    await server.run(new StdioTransport());
    await client.close();
    await provider.shutdown();
    break;
  }
  case "server": {
    const { server } = reports(0);
    const handler = createStreamableHandler({ getServer: () => server, sessions: false });
    const listener = createServer((request, response) => void handler.node(request, response));
    listener.listen(0, "127.0.0.1", () => {
      say(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
    });
    break;
  }
  default: {
    const { engine } = reports(1);
    await engine.resume({ definitions: [] });
    // An engine alone does not keep its process alive.
    process.stdin.resume();
    say("ready");
  }
}
