import { isRecord } from "@tenon/jsonrpc2/transport";
import type { ClientSession } from "@tenon/mcp/client";
import type { Cassette } from "@tenon/testing/cassette";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { fetchLists } from "../session/definitions.ts";
import { openTarget } from "../session/open.ts";
import { resolveTarget, resolveWord } from "../target/resolve.ts";

/** A recorded request, and how the response of now compares. */
interface Replayed {
  readonly method: string;
  readonly params: unknown;
  readonly same: boolean;
  readonly skipped?: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

const replayable = new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/get",
  "completion/complete",
  "tools/call",
]);

/** Sends the recorded requests to a target again, and compares the responses. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer } = invocation;
  const file = invocation.required("recording");
  const recording = await resolveWord(invocation, file);
  if (recording.kind !== "cassette") {
    throw usageError(`${file} is not a recording.`, "tenon record <target> --out recording.jsonl");
  }
  await using opened = await openTarget(invocation, await resolveTarget(invocation));
  const { session, signal } = opened;
  const { tools = [] } = await fetchLists(session, ["tools"], signal);
  const harmless = new Set(
    tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name),
  );
  const replayed: Replayed[] = [];
  for (const { method, params, response } of requestsOf(recording.cassette)) {
    const isCall = method === "tools/call" && isRecord(params);
    if (isCall && !flags.has("all") && !harmless.has(String(params["name"]))) {
      replayed.push({ method, params, same: true, skipped: "the tool may have effects; --all calls it" });
      continue;
    }
    const after = await responseOf(session, method, params, signal);
    const [left, right] = [comparable(response), comparable(after)];
    const same = left === right;
    replayed.push({ method, params, same, ...(same ? {} : { before: response, after }) });
  }
  const changed = replayed.filter(({ same }) => !same);
  printer.result({ same: changed.length === 0, requests: replayed }, () =>
    [
      ...replayed.map(({ method, params, same, skipped }) => {
        const mark = skipped === undefined ? (same ? "=" : "≠") : "·";
        const why = skipped === undefined ? "" : ` (${skipped})`;
        return visibleLine(`${mark} ${method} ${JSON.stringify(params ?? {})}${why}`);
      }),
      `${replayed.length} requests, ${changed.length} changed`,
    ].join("\n"),
  );
  return changed.length === 0 ? exitCodes.ok : exitCodes.drift;
}

interface Recorded {
  readonly method: string;
  readonly params: unknown;
  readonly response: unknown;
}

/** The requests of the client that got a response. */
function requestsOf({ entries, header }: Cassette): readonly Recorded[] {
  const fromClient = header.side === "client" ? "write" : "read";
  const open = new Map<string, { method: string; params: unknown }>();
  const found: Recorded[] = [];
  for (const entry of entries) {
    const message = "message" in entry ? entry.message : undefined;
    if (!isRecord(message)) {
      continue;
    }
    const key = `${entry.connection} ${JSON.stringify(message["id"])}`;
    const { method } = message;
    if (entry.dir === fromClient && typeof method === "string" && replayable.has(method)) {
      open.set(key, { method, params: message["params"] });
    }
    const request = entry.dir === fromClient ? undefined : open.get(key);
    if (request !== undefined && method === undefined) {
      open.delete(key);
      found.push({ ...request, response: message["result"] ?? message["error"] });
    }
  }
  return found;
}

async function responseOf(
  session: ClientSession,
  method: string,
  params: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const { _meta: _, ...own } = isRecord(params) ? params : {};
  try {
    return await session.request(method as never, own as never, { signal, fresh: true });
  } catch (error) {
    signal.throwIfAborted();
    return { code: (error as { code?: unknown }).code, message: messageOf(error) };
  }
}

/** A response without the parts that differ from run to run. */
function comparable(response: unknown): string {
  return JSON.stringify(response, (key, value: unknown) => {
    if (
      key === "_meta" ||
      key === "nextCursor" ||
      key === "ttlMs" ||
      key === "resultType" ||
      key === "cacheScope"
    ) {
      return undefined;
    }
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  });
}
