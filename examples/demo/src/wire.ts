import type { LogEntry } from "@tenon/sdk/client";

interface WireMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: object;
  readonly result?: object;
  readonly error?: object;
}

/** Turns the lines of a `LoggingTransport` into one short line for each message. */
export function wirePrinter(lines: string[]): { write(line: string): void } {
  const sent = new Map<string, { readonly method: string; readonly at: number }>();
  return {
    write(line) {
      const entry = JSON.parse(line) as LogEntry;
      if (!("message" in entry)) {
        return;
      }
      const { dir, at } = entry;
      const { id, method, params, result, error } = entry.message as WireMessage;
      const arrow = dir === "write" ? "→" : "←";
      const isRequest = method !== undefined;
      const key = `${isRequest === (dir === "write") ? "own" : "other"} ${JSON.stringify(id)}`;
      const request = sent.get(key);
      if (isRequest) {
        sent.set(key, { method, at });
        lines.push(`${arrow} ${method} ${payload(params)}`);
      } else {
        const took = request === undefined ? "" : ` ${(at - request.at).toFixed(0)} ms`;
        lines.push(`${arrow} ${request?.method ?? "?"}${took} ${payload(error ?? result)}`);
      }
    },
  };
}

/** The data of a message without `_meta`, in the notation of JavaScript. */
function payload(data: object = {}): string {
  const { _meta, ...rest } = data as { readonly _meta?: unknown };
  return Object.keys(rest).length === 0 ? "" : JSON.stringify(rest).replaceAll(/"(\w+)":/g, "$1: ");
}
