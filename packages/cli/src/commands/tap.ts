import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";

import { isRecord } from "@tenon/jsonrpc2/transport";
import { recordTransport } from "@tenon/testing/cassette";
import { StdioTransport } from "@tenon/transports-stdio";

import type { Invocation } from "../command/invocation.ts";
import { textOf, visibleLine } from "../output/escape.ts";
import { relay } from "../serve/relay.ts";
import { redactionOf } from "../session/redaction.ts";
import { resolveTarget } from "../target/resolve.ts";
import { transportTo } from "../target/transport.ts";

/**
 * Connects a host to a server and records every message. Messages are passed on unchanged: the host
 * uses the standard input and output of this process.
 */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell, signal } = invocation;
  const target = await resolveTarget(invocation);
  const file = resolve(shell.cwd, flags.text("out") ?? "tenon-tap.jsonl");
  const stream = createWriteStream(file, { flags: "w", mode: 0o600 });
  await once(stream, "open");
  printer.note(`tap: ${target.label} is recorded to ${file}`);
  const sink = {
    write(line: string): boolean {
      if (printer.isVerbose) {
        printer.note(lineOf(line));
      }
      return stream.write(line);
    },
  };
  const inner = await transportTo(invocation, target);
  const recorded = recordTransport(inner, sink, { target: target.label, redaction: redactionOf(flags) });
  const stdout = shell.stdout === process.stdout ? {} : { stdin: shell.stdin, stdout: shell.stdout as never };
  const front = new StdioTransport(stdout);
  try {
    await relay(await front.connect({ signal }), await recorded.connect({ signal }), signal);
  } finally {
    stream.end();
    await once(stream, "finish");
  }
}

/** A recorded line for people. */
function lineOf(line: string): string {
  const entry: unknown = JSON.parse(line);
  if (!isRecord(entry) || !isRecord(entry["message"])) {
    return visibleLine(line);
  }
  const { message, dir, at } = entry as {
    readonly message: Record<string, unknown>;
    readonly dir: string;
    readonly at: number;
  };
  const what = message["method"] ?? ("error" in message ? "error" : "result");
  return visibleLine(
    `${Math.round(at)} ms ${dir === "write" ? "→" : "←"} ${textOf(what)} ${JSON.stringify(message["id"] ?? "")}`,
  );
}
