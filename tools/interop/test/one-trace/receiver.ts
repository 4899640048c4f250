import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as OTLP in JSON has it. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface OtlpExport {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** Receives spans as OTLP in JSON. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** The first span with this name of a kind. Waits for it. */
  span(name: string, kind: keyof typeof kinds): Promise<OtlpSpan>;
}

const kinds = { server: 2, client: 3, consumer: 5 } as const;

/** Starts a receiver of spans on a port of its own. */
export async function startReceiver(): Promise<Receiver> {
  const spans: OtlpSpan[] = [];
  const waiting = new Set<() => void>();
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as OtlpExport;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      waiting.forEach((look) => look());
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  return {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/traces`,
    span: (name, kind) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = spans.find((span) => span.name === name && span.kind === kinds[kind]);
          if (found !== undefined) {
            waiting.delete(look);
            resolve(found);
          }
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      receiver.closeAllConnections();
      receiver.close();
      await once(receiver, "close");
    },
  };
}
