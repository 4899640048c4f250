import type { LogEntry } from "@tenon/sdk/client";

const dim = "\u001B[2m";
const cyan = "\u001B[36m";
const green = "\u001B[32m";
const red = "\u001B[31m";
const reset = "\u001B[0m";

/**
 * Turns the lines of a `LoggingTransport` into a transcript for people: direction, method, and the
 * time until the response.
 */
export function transcriptPrinter(out: { write(text: string): unknown }): { write(line: string): void } {
  const sent = new Map<unknown, { method: string; at: number }>();
  return {
    write(line) {
      const entry = JSON.parse(line) as LogEntry;
      if ("message" in entry) {
        out.write(describe(entry.dir, entry.at, entry.message as WireMessage, sent));
      } else if ("error" in entry) {
        out.write(`${red}!! ${entry.error}${reset}\n`);
      }
    },
  };
}

interface WireMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string };
  readonly error?: { readonly code: number; readonly message: string };
}

function describe(
  dir: "read" | "write",
  at: number,
  message: WireMessage,
  sent: Map<unknown, { method: string; at: number }>,
): string {
  const arrow = dir === "write" ? `${cyan}→${reset}` : `${green}←${reset}`;
  if (message.method !== undefined) {
    const name = message.params?.name === undefined ? "" : ` ${dim}${message.params.name}${reset}`;
    sent.set(message.id, { method: message.method, at });
    return `${arrow} ${message.method}${name}\n`;
  }
  const request = sent.get(message.id);
  const took = request === undefined ? "" : ` ${dim}${(at - request.at).toFixed(1)} ms${reset}`;
  const outcome =
    message.error === undefined ? "" : ` ${red}${message.error.code} ${message.error.message}${reset}`;
  return `${arrow} ${request?.method ?? "?"}${outcome}${took}\n`;
}
