import { resolve } from "node:path";

import { isRecord } from "@tenon/base";
import { redactor, redactTarget } from "@tenon/http/redact";
import type { ClientSession } from "@tenon/mcp/client";
import type { Cassette, CassetteEntry } from "@tenon/testing/cassette";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { counted } from "../output/counted.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { fetchLists } from "../session/definitions.ts";
import { openTarget } from "../session/open.ts";
import { resolveTarget, resolveWord } from "../target/resolve.ts";
import { requestsOf } from "../trace/recorded-requests.ts";
import { differencesOf, differenceText, type ResponseDifference } from "../trace/response-differences.ts";
import { replaceFile } from "../write-file.ts";

/** A recorded request, and how the response of now compares. */
interface Replayed {
  readonly method: string;
  readonly params: unknown;
  readonly same: boolean;
  readonly skipped?: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
  /** The first differences between `before` and `after`. */
  readonly differences?: readonly ResponseDifference[];
}

/** Sends the recorded requests to a target again, and compares the responses. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell } = invocation;
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
  const updated = new Map<CassetteEntry, unknown>();
  for (const { method, params, response, entry } of requestsOf(recording.cassette)) {
    const isCall = method === "tools/call" && isRecord(params);
    if (isCall && !flags.has("all") && !harmless.has(String(params["name"]))) {
      replayed.push({ method, params, same: true, skipped: "the tool may have effects; --all calls it" });
      continue;
    }
    const after = await responseOf(session, method, params, signal);
    const isSameEra = entry.era === session.era;
    const differences = isSameEra
      ? differencesOf(response, after)
      : differencesOf(withoutOneEra(response), withoutOneEra(after));
    const same = differences.length === 0;
    replayed.push({ method, params, same, ...(same ? {} : { before: response, after, differences }) });
    if (!same) {
      updated.set(entry, after);
    }
  }
  const changed = replayed.filter(({ same }) => !same);
  printer.result({ same: changed.length === 0, requests: replayed }, () =>
    [
      ...replayed.flatMap(({ method, params, same, skipped, differences = [] }) => {
        const mark = skipped === undefined ? (same ? "=" : "≠") : "·";
        const why = skipped === undefined ? "" : ` (${skipped})`;
        const { _meta: _, ...own } = isRecord(params) ? params : {};
        const head = `${mark} ${method} ${JSON.stringify(own)}${why}`;
        const changes = differences.map((each) => `    ${visibleLine(differenceText(each))}`);
        return [visibleLine(head), ...changes];
      }),
      `${counted(replayed.length, "request")}, ${changed.length} changed`,
    ].join("\n"),
  );
  if (flags.has("update")) {
    await replaceFile(resolve(shell.cwd, file), updatedText(recording.cassette, updated));
    printer.note(`${file} has the responses of now.`);
    return exitCodes.ok;
  }
  return changed.length === 0 ? exitCodes.ok : exitCodes.drift;
}

/** A list of tools without the property that only some revisions have: `execution`. */
function withoutOneEra(response: unknown): unknown {
  const tools: unknown = isRecord(response) ? response["tools"] : undefined;
  return isRecord(response) && Array.isArray(tools)
    ? {
        ...response,
        tools: tools.map((tool: unknown) => (isRecord(tool) ? { ...tool, execution: 0 } : tool)),
      }
    : response;
}

/** The text of a recording with other responses. Secrets are redacted as in every recording. */
function updatedText({ header, entries }: Cassette, updated: ReadonlyMap<CassetteEntry, unknown>): string {
  const redact = redactor();
  const lines = entries.map((entry) => {
    const message: unknown = "message" in entry ? entry.message : undefined;
    if (!updated.has(entry) || !isRecord(message)) {
      return redact(entry) as CassetteEntry;
    }
    const after = updated.get(entry);
    const { result: _, error: __, ...envelope } = message;
    const response = isFailure(after) ? { error: after } : { result: after };
    return { ...entry, message: redact({ ...envelope, ...response }) };
  });
  const { target } = header;
  const head = target === undefined ? header : { ...header, target: redactTarget(target) };
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Whether a response is what {@link responseOf} returns for an error response. */
function isFailure(response: unknown): boolean {
  return (
    isRecord(response) && typeof response["code"] === "number" && typeof response["message"] === "string"
  );
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
