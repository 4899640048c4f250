import { isRecord } from "@tenon/base";

import type { LogLine } from "../engine/log.ts";
import type { ServerAddress } from "../engine/source.ts";
import type { Summary } from "../wire/summary.ts";
import { cassetteText } from "./export-cassette.ts";
import { lineRedactor } from "./redacted.ts";
import { codeOf, commentOf, expectationOf, hasSecret } from "./test-code.ts";
import { connectCode } from "./test-connect.ts";

/** The maximum number of tests in a file. */
const maxTests = 200;

/** The methods of the session for the requests that become tests. */
const methods: Readonly<Record<string, string>> = {
  "tools/call": "callTool",
  "prompts/get": "getPrompt",
  "resources/read": "readResource",
  "completion/complete": "complete",
};

/** Properties of results that belong to the transfer, or differ between runs. */
const ofTransfer = new Set(["_meta", "resultType", "ttlMs", "cacheScope"]);

/** Kept apart, because a check of the built packages finds declarations by these words. */
const untilEnd = "await using";

type Json = Readonly<Record<string, unknown>>;

/** The session of which tests are made. */
export interface TestedSession {
  readonly lines: readonly LogLine[];
  /** The name of the server, without secrets. */
  readonly label: string;
  readonly address: ServerAddress | undefined;
}

/** A call with all its rounds. */
interface Call {
  readonly summary: Summary;
  readonly request: Json;
  readonly response: Json;
  /** The results of the client's handlers, in order. */
  readonly answers: readonly unknown[];
}

/**
 * The calls of a session as a test file for vitest. The tests connect to the server by its address;
 * without an address they replay the recorded session, which the file contains.
 *
 * @param seq - The line of a request or response. By default all calls become tests.
 * @returns `undefined` if there is no call with a response.
 */
export function testText(session: TestedSession, seq?: number): string | undefined {
  const { lines, label, address } = session;
  const calls = callsIn(lines, seq);
  if (calls.length === 0) {
    return undefined;
  }
  const cassette = address === undefined ? cassetteText(lines, label) : undefined;
  const revision = revisionOf(lines);
  const tests = calls
    .slice(0, maxTests)
    .map((call, index) => testCode(call, index, cassette !== undefined, address))
    .join("\n");
  const dropped =
    calls.length > maxTests ? `\n// ${calls.length - maxTests} further calls are left out.\n` : "";
  const intro = `// Written by the inspector of Tenon from a session with ${commentOf(label)}.\n// Replace values that differ from run to run, such as times, by expect.anything().\n`;
  return `${intro}${connectCode({ address, revision, cassette })}\n${tests}${dropped}`;
}

function revisionOf(lines: readonly LogLine[]): string | undefined {
  for (const { summary, text } of lines) {
    if (summary.kind === "response" && summary.method === "initialize" && summary.cut !== true) {
      const { result } = JSON.parse(text) as Json;
      return isRecord(result) ? String(result["protocolVersion"]) : undefined;
    }
    if (summary.kind === "request" && summary.era === "modern" && summary.cut !== true) {
      const version = /"io\.modelcontextprotocol\/protocolVersion":"([\w-]{1,40})"/.exec(text)?.[1];
      if (version !== undefined) {
        return version;
      }
    }
  }
  return undefined;
}

function callsIn(lines: readonly LogLine[], seq: number | undefined): Call[] {
  const redact = lineRedactor();
  const values = new Map<number, Json>();
  const responses = new Map<number, Summary>();
  const rounds = new Map<number, Summary>();
  for (const line of lines) {
    const { summary } = line;
    const redacted = redact(line);
    if ("value" in redacted && isRecord(redacted.value)) {
      values.set(summary.seq, redacted.value);
    }
    if (summary.kind === "response" && summary.request !== undefined) {
      responses.set(summary.request, summary);
    }
    if (summary.continues !== undefined) {
      rounds.set(summary.continues, summary);
    }
  }
  const indexes = new Map(lines.map(({ summary }, index) => [summary.seq, index]));
  const summaryOf = (line: number): Summary | undefined => lines[indexes.get(line) ?? -1]?.summary;
  const chosen = seq === undefined ? undefined : firstRound(summaryOf, seq);
  return lines.flatMap(({ summary }) => {
    const { kind, to, method = "", continues } = summary;
    const isWanted = chosen === undefined ? continues === undefined : summary.seq === chosen;
    if (kind !== "request" || to !== "server" || !Object.hasOwn(methods, method) || !isWanted) {
      return [];
    }
    const answers: unknown[] = [];
    let last = summary;
    for (let next = rounds.get(last.seq); next !== undefined; next = rounds.get(last.seq)) {
      const { params } = values.get(next.seq) ?? {};
      const given = isRecord(params) ? params["inputResponses"] : undefined;
      answers.push(...Object.values(isRecord(given) ? given : {}));
      last = next;
    }
    const answered = responses.get(last.seq);
    const request = values.get(summary.seq);
    const response = answered === undefined ? undefined : values.get(answered.seq);
    if (
      answered === undefined ||
      answered.outcome === "input" ||
      request === undefined ||
      response === undefined
    ) {
      return [];
    }
    const between = lines.slice(indexes.get(summary.seq), indexes.get(answered.seq));
    answers.push(...legacyAnswers(between, values));
    return [{ summary, request, response, answers }];
  });
}

/** The first request of the rounds that a line belongs to. */
function firstRound(summaryOf: (seq: number) => Summary | undefined, seq: number): number {
  let summary = summaryOf(seq);
  if (summary?.kind !== "request") {
    summary = summaryOf(summary?.request ?? seq);
  }
  while (summary?.continues !== undefined) {
    summary = summaryOf(summary.continues);
  }
  return summary?.seq ?? seq;
}

/** The results of the client for the requests of a legacy server. */
function legacyAnswers(lines: readonly LogLine[], values: ReadonlyMap<number, Json>): unknown[] {
  return lines.flatMap(({ summary }) => {
    const isAnswer =
      summary.kind === "response" &&
      summary.to === "server" &&
      /^(?:elicitation|sampling)\//.test(summary.method ?? "");
    const result = isAnswer ? values.get(summary.seq)?.["result"] : undefined;
    return result === undefined ? [] : [result];
  });
}

function testCode(
  { summary, request, response, answers }: Call,
  index: number,
  isReplay: boolean,
  address: ServerAddress | undefined,
): string {
  const { method = "", subject } = summary;
  const params = codeOf(withoutTransfer(request["params"]));
  const call = `session.${methods[method]}(${params})`;
  const title = JSON.stringify(`${index + 1}: ${method}${subject === undefined ? "" : ` ${subject}`}`);
  const error = response["error"];
  const check = isRecord(error)
    ? `  await expect(${call}).rejects.toMatchObject(${expectationOf({ code: error["code"], message: error["message"] })});`
    : `  const result = await ${call};\n  expect(result).toMatchObject(${expectationOf(withoutTransfer(response["result"]))});`;
  const isSecret = !isReplay && (hasSecret(request) || hasSecret(answers) || hasSecret(address ?? {}));
  const note = isSecret ? "// Fill in the secrets that were removed, and run the test.\n" : "";
  const given = answers.length === 0 ? "" : codeOf(answers);
  return `${note}test${isSecret ? ".skip" : ""}(${title}, async () => {
  ${untilEnd} connected = await connect(${given});
  const { session } = connected;
${check}
});
`;
}

function withoutTransfer(value: unknown): unknown {
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !ofTransfer.has(name)))
    : value;
}
