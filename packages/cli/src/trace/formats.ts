import { createHash } from "node:crypto";

import type { Span } from "./spans.ts";

/** The formats of `tenon trace export`. */
export const traceFormats = ["json", "har", "otlp", "html"] as const;

/** A format of a trace. */
export type TraceFormat = (typeof traceFormats)[number];

/** Formats a recording. @param startedAt - The assumed start of its connections. */
export function formatTrace(
  format: TraceFormat,
  spans: readonly Span[],
  target: string,
  startedAt: number,
): string {
  switch (format) {
    case "json":
      return JSON.stringify(spans, undefined, 2);
    case "har":
      return JSON.stringify(har(spans, target, startedAt), undefined, 2);
    case "otlp":
      return JSON.stringify(otlp(spans, target, startedAt), undefined, 2);
    case "html":
      return html(spans, target);
  }
}

function har(spans: readonly Span[], target: string, startedAt: number): object {
  const content = (value: unknown): object => {
    const text = JSON.stringify(value ?? null);
    return { size: text.length, mimeType: "application/json", text };
  };
  const entries = spans.map(({ method, subject, startMs, durationMs = 0, error, request, response }) => ({
    startedDateTime: new Date(startedAt + startMs).toISOString(),
    time: durationMs,
    request: {
      method: "POST",
      url: `mcp://${encodeURIComponent(target)}/${method}${subject === undefined ? "" : `?${encodeURIComponent(subject)}`}`,
      httpVersion: "JSON-RPC 2.0",
      cookies: [],
      headers: [],
      queryString: [],
      headersSize: -1,
      bodySize: -1,
      postData: { mimeType: "application/json", text: JSON.stringify(request) },
    },
    response: {
      status: response === undefined ? 0 : error === undefined ? 200 : 500,
      statusText: error ?? "",
      httpVersion: "JSON-RPC 2.0",
      cookies: [],
      headers: [],
      content: content(response),
      redirectURL: "",
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
  }));
  return { log: { version: "1.2", creator: { name: "tenon", version: "1" }, pages: [], entries } };
}

function otlp(spans: readonly Span[], target: string, startedAt: number): object {
  const hex = (text: string, length: number): string =>
    createHash("sha256").update(text).digest("hex").slice(0, length);
  const nanos = (ms: number): string => `${BigInt(Math.round((startedAt + ms) * 1000)) * 1000n}`;
  const attribute = (key: string, value: string): object => ({ key, value: { stringValue: value } });
  return {
    resourceSpans: [
      {
        resource: { attributes: [attribute("service.name", target)] },
        scopeSpans: [
          {
            scope: { name: "tenon" },
            spans: spans.map(
              ({ connection, from, id, method, subject, startMs, durationMs = 0, error }, index) => ({
                traceId: hex(`${target} ${startedAt} ${connection} ${from} ${JSON.stringify(id)}`, 32),
                spanId: hex(`${index} ${method} ${startMs}`, 16),
                name: subject === undefined ? method : `${method} ${subject}`,
                kind: from === "client" ? 3 : 2,
                startTimeUnixNano: nanos(startMs),
                endTimeUnixNano: nanos(startMs + durationMs),
                attributes: [attribute("mcp.method.name", method), attribute("rpc.system", "jsonrpc")],
                status: error === undefined ? { code: 1 } : { code: 2, message: error },
              }),
            ),
          },
        ],
      },
    ],
  };
}

function html(spans: readonly Span[], target: string): string {
  const escape = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  const end = Math.max(1, ...spans.map(({ startMs, durationMs = 0 }) => startMs + durationMs));
  const rows = spans.map(({ method, subject = "", startMs, durationMs, error, request, response }) => {
    const left = (startMs / end) * 100;
    const width = Math.max(0.3, ((durationMs ?? 0) / end) * 100);
    const bodies = `${JSON.stringify(request, undefined, 2)}\n\n${JSON.stringify(response ?? null, undefined, 2)}`;
    return [
      `<tr${error === undefined ? "" : ' class="error"'}><td>${escape(method)}</td><td>${escape(subject)}</td>`,
      `<td>${durationMs === undefined ? "no response" : `${durationMs} ms`}</td>`,
      `<td class="bar"><i style="margin-left:${left.toFixed(2)}%;width:${width.toFixed(2)}%"></i></td>`,
      `<td><details><summary>${escape(error ?? "messages")}</summary><pre>${escape(bodies)}</pre></details></td></tr>`,
    ].join("");
  });
  const style =
    "body{font:14px system-ui;margin:2em;color-scheme:light dark}table{border-collapse:collapse;width:100%}" +
    "td{border-bottom:1px solid #8884;padding:4px 8px;vertical-align:top}.bar{width:40%}" +
    "i{display:block;height:12px;background:#47a}.error i{background:#b33}pre{white-space:pre-wrap;max-width:60em}";
  return [
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escape(target)}</title>`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<style>${style}</style><h1>${escape(target)}</h1><table>${rows.join("\n")}</table></html>`,
    "",
  ].join("\n");
}
