import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

import { Client } from "@tenon/mcp";
import { instrument } from "@tenon/otel";
import { compiledProgram } from "@tenon/test-support/processes";
import { CommandTransport } from "@tenon/transports-stdio/client";
import { expect, onTestFinished, test } from "vitest";

import { startTelemetry } from "./telemetry.ts";

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
}

interface OtlpExport {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** Receives spans as OTLP in JSON. */
async function startCollector(): Promise<{
  url: string;
  spanNamed(name: string, kind: number): Promise<OtlpSpan>;
}> {
  const spans: OtlpSpan[] = [];
  const waiting = new Set<() => void>();
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as OtlpExport;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      waiting.forEach((look) => look());
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  onTestFinished(() => {
    collector.closeAllConnections();
    collector.close();
  });
  return {
    url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
    spanNamed: (name, kind) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = spans.find((span) => span.name === name && span.kind === kind);
          if (found !== undefined) {
            waiting.delete(look);
            resolve(found);
          }
        };
        waiting.add(look);
        look();
      }),
  };
}

const [serverKind, clientKind] = [2, 3];

test("a call through a server on stdio to a server over HTTP is one trace, read back as OTLP", async () => {
  await using telemetry = startTelemetry();
  const { url, spanNamed } = await startCollector();
  const program = await compiledProgram(new URL("fixtures/traced.ts", import.meta.url));
  const worker = spawn(process.execPath, [program, "worker", url], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void worker.kill("SIGKILL"));
  const [address] = (await once(createInterface({ input: worker.stdout }), "line")) as [string];

  const client = new Client({ name: "host", version: "1.0.0" });
  instrument(client);
  const session = await client.connect(
    new CommandTransport({ command: process.execPath, args: [program, "front", url, address] }),
  );
  const result = await session.callTool({ name: "relay" });
  expect(result.content).toEqual([{ type: "text", text: "done" }]);

  const sent = telemetry.named("tools/call relay");
  expect(sent.attributes["network.transport"]).toBe("pipe");
  const relayed = await spanNamed("tools/call relay", serverKind);
  const passedOn = await spanNamed("tools/call work", clientKind);
  const worked = await spanNamed("tools/call work", serverKind);
  expect(relayed.parentSpanId).toBe(sent.spanContext().spanId);
  expect(passedOn.parentSpanId).toBe(relayed.spanId);
  expect(worked.parentSpanId).toBe(passedOn.spanId);
  const { traceId } = sent.spanContext();
  expect([relayed, passedOn, worked].map((span) => span.traceId)).toEqual([traceId, traceId, traceId]);
  await client.close();
});
