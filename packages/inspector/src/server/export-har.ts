import type { LogLine } from "../engine/log.ts";
import { lineRedactor } from "./redacted.ts";

/**
 * The requests with their responses as HAR 1.2, which the tools of browsers open. Conversations
 * have no start on the calendar, so the first request of the file is at the start of 1970.
 */
export function harText(lines: readonly LogLine[], label: string): string {
  const redact = lineRedactor();
  const answers = new Map(
    lines.flatMap((line) =>
      line.summary.kind === "response" && line.summary.request !== undefined
        ? [[line.summary.request, line] as const]
        : [],
    ),
  );
  const textOf = (line: LogLine | undefined): string => {
    const redacted = line === undefined ? { value: null } : redact(line);
    return "withheld" in redacted ? redacted.withheld : JSON.stringify(redacted.value);
  };
  const entries = lines
    .filter(({ summary }) => summary.kind === "request")
    .map((line) => {
      const { at, method = "", subject, to, seq } = line.summary;
      const answer = answers.get(seq);
      const text = textOf(answer);
      const sent = textOf(line);
      const outcome = answer?.summary.outcome ?? "open";
      return {
        startedDateTime: new Date(at).toISOString(),
        time: answer?.summary.ms ?? -1,
        request: {
          method: "POST",
          url: `mcp://${to ?? "server"}/${method}${subject === undefined ? "" : `?${encodeURIComponent(subject)}`}`,
          httpVersion: "MCP",
          cookies: [],
          headers: [],
          queryString: [],
          postData: { mimeType: "application/json", text: sent },
          headersSize: -1,
          bodySize: line.summary.bytes,
        },
        response: {
          status: outcome === "open" ? 0 : outcome === "error" || outcome === "failed" ? 500 : 200,
          statusText: outcome,
          httpVersion: "MCP",
          cookies: [],
          headers: [],
          content: { size: answer?.summary.bytes ?? 0, mimeType: "application/json", text },
          redirectURL: "",
          headersSize: -1,
          bodySize: answer?.summary.bytes ?? -1,
        },
        cache: {},
        timings: { send: 0, wait: answer?.summary.ms ?? -1, receive: 0 },
      };
    });
  const creator = { name: "@tenon/inspector", version: "0.0.0" };
  return JSON.stringify({ log: { version: "1.2", creator, comment: label, entries } });
}
