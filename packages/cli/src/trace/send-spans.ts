import { messageOf } from "../output/escape.ts";
import { formatTrace } from "./formats.ts";
import type { Span } from "./spans.ts";

/** Maximum time for the collector to accept spans, in milliseconds. */
const sendMs = 10_000;
const longestExcerpt = 200;

/** The path of OTLP over HTTP below the address of a collector. */
export function tracesUrl(collector: string): string | undefined {
  if (!URL.canParse(collector) || !/^https?:$/.test(new URL(collector).protocol)) {
    return undefined;
  }
  return /\/v1\/traces\/?$/.test(new URL(collector).pathname)
    ? collector
    : `${collector.replace(/\/+$/, "")}/v1/traces`;
}

/**
 * Sends spans to a collector by OTLP over HTTP, as JSON.
 *
 * @returns Why it was not possible; `undefined` if the collector accepted them.
 */
export async function sendSpans(
  url: string,
  spans: readonly Span[],
  target: string,
  startedAt: number,
): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: formatTrace("otlp", spans, target, startedAt),
      signal: AbortSignal.timeout(sendMs),
    });
    const text = await response.text();
    return response.ok ? undefined : `status ${response.status}: ${text.slice(0, longestExcerpt)}`;
  } catch (error) {
    return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
  }
}
