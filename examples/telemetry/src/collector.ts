import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly status: { readonly message?: string };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** A collector that keeps the spans in memory. */
export interface Collector {
  readonly url: string;
  /** The traces that begin with a span of this name, as trees. */
  traces(name: string): string;
  close(): void;
}

const kinds = ["", "inside", "receives", "sends"];

/** Receives the spans of all processes as OTLP in JSON, as a real collector does. */
export async function startCollector(): Promise<Collector> {
  const spans: (Span & { readonly service: string })[] = [];
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { resourceSpans } = (await json(request)) as Export;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? "";
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service }))));
    }
    response.setHeader("content-type", "application/json").end("{}");
  }
  const server = createServer((request, response) => void receive(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");

  /** The lines of the spans below a span, in the order of their beginnings. */
  function tree(parent: string | undefined, root = "", depth = 0): string[] {
    return spans
      .filter(({ parentSpanId, name }) => parentSpanId === parent && (root === "" || name === root))
      .sort((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)))
      .flatMap(({ spanId, name, kind, service, status: { message } }) => [
        `${"  ".repeat(depth)}${service} ${kinds[kind]} ${name}${message ? ` (failed: ${message})` : ""}`,
        ...tree(spanId, "", depth + 1),
      ]);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    traces: (name) => tree(undefined, name).join("\n"),
    close: () => server.close().closeAllConnections(),
  };
}
