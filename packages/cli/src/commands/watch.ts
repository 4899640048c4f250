import { anySignal } from "@tenon/base";
import type { ClientOptions } from "@tenon/mcp/client";

import type { Invocation } from "../command/invocation.ts";
import { CliError, usageError } from "../exit.ts";
import { visibleJson, visibleLine } from "../output/escape.ts";
import { openSession } from "../session/open.ts";

/** An announcement of a server. */
interface Change {
  readonly method: string;
  readonly params?: object | undefined;
}

/** Prints the changes of a server: of lists, of the resources that are named, and its log. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, rest } = invocation;
  if (printer.mode === "json") {
    throw usageError("watch prints many values.", "--jsonl");
  }
  const most = flags.integer("count", 1) ?? Infinity;
  const enough = new AbortController();
  let count = 0;
  const show = (change: Change): void => {
    if (count < most) {
      count++;
      printer.item(change, () => textOf(change));
    }
    if (count >= most) {
      enough.abort();
    }
  };
  await using opened = await openSession(invocation, { client: handlers(show) });
  const { session, signal } = opened;
  const either = anySignal([signal, enough.signal]);
  const watches = rest.map((uri) => session.watch(uri, { signal: either }));
  await Promise.all(watches.map((watch) => watch.ready));
  printer.note(`Watching ${visibleLine(session.serverInfo?.name ?? opened.target.label)}; interrupt to end.`);
  const loops = watches.map(async (watch) => {
    for await (const params of watch) {
      show({ method: "notifications/resources/updated", params });
    }
  });
  const aborted = new Promise<void>((resolve) => {
    either.addEventListener("abort", () => resolve(), { once: true });
    if (either.aborted) {
      resolve();
    }
  });
  await Promise.race([
    Promise.all([aborted, ...loops]).catch((error: unknown) => {
      if (!enough.signal.aborted) {
        throw error;
      }
    }),
    ended(session.closed),
  ]);
  signal.throwIfAborted();
}

function handlers(show: (change: Change) => void): Partial<ClientOptions> {
  return {
    onToolsChanged: () => show({ method: "notifications/tools/list_changed" }),
    onPromptsChanged: () => show({ method: "notifications/prompts/list_changed" }),
    onResourcesChanged: () => show({ method: "notifications/resources/list_changed" }),
    onLog: (params) => show({ method: "notifications/message", params }),
  };
}

async function ended(closed: Promise<{ readonly error?: unknown }>): Promise<never> {
  const { error } = await closed;
  throw new CliError("connection", "The server closed the connection.", { cause: error });
}

function textOf({ method, params }: Change): string {
  const name = method.replace(/^notifications\//, "");
  return params === undefined ? name : `${name} ${visibleLine(visibleJson(params))}`;
}
