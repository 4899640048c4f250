import { anySignal, isRecord } from "@tenon/base";
import { hidden, redactText } from "@tenon/http/redact";

import { CliError } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { textAt } from "./read.ts";

/** A request to a vendor. */
export interface VendorRequest {
  /** The vendor, for messages. */
  readonly vendor: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The key in the headers. It is in no message, whatever its form. */
  readonly key: string | undefined;
  readonly body: unknown;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

const maxRetries = 4;
/** A shorter key can be a part of ordinary words: local models get keys such as `ollama`. */
const minKeyLength = 16;
/** The time for one response, in ms. */
const timeoutMs = 180_000;
const maxDelayMs = 60_000;
const maxBytes = 20_000_000;

/**
 * Sends a request to a vendor and returns the JSON of its response. Waits and repeats it if the
 * vendor is busy.
 *
 * @throws `CliError` with the message of the vendor, without secrets; `signal.reason`.
 */
export async function sendToVendor(request: VendorRequest): Promise<Readonly<Record<string, unknown>>> {
  const { vendor, signal, key } = request;
  for (let attempt = 0; ; attempt++) {
    const { status, text, retryAfter } = await sendOnce(request);
    if (status === 200) {
      return parsed(vendor, key, text);
    }
    const isBusy = status === 429 || status >= 500;
    if (!isBusy || attempt >= maxRetries) {
      throw refusal(vendor, key, status, text);
    }
    const seconds = Number(retryAfter ?? "");
    const own = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 500 * 2 ** attempt;
    await pause(Math.min(own, maxDelayMs), signal);
  }
}

async function sendOnce({ vendor, url, headers, key, body, fetch, signal }: VendorRequest): Promise<{
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}> {
  const ends = anySignal([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      // A redirect would take the key to another host.
      redirect: "error",
      signal: ends,
    });
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length > maxBytes) {
        throw new Error(`the response has more than ${maxBytes} characters`);
      }
    }
    return { status: response.status, text, retryAfter: response.headers.get("retry-after") };
  } catch (cause) {
    signal.throwIfAborted();
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const message = redactText(withoutKey(messageOf(reason), key));
    throw new CliError("connection", `${vendor} cannot be reached: ${message}`, {
      hint: "check the network, the proxy and --model-url",
      cause,
    });
  }
}

function parsed(vendor: string, key: string | undefined, text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    // A proxy may send the key back, and responses are shown and recorded.
    value = JSON.parse(key !== undefined && key.length >= minKeyLength ? withoutKey(text, key) : text);
  } catch {
    // Reported below.
  }
  if (!isRecord(value)) {
    throw new CliError("protocol", `${vendor} sent no JSON object: ${shown(text, key)}`, {
      hint: "check --model-url: it is the base URL of the API",
    });
  }
  return value;
}

function refusal(vendor: string, key: string | undefined, status: number, text: string): CliError {
  const isKey = status === 401 || status === 403;
  return new CliError(
    isKey ? "authorization" : "protocol",
    `${vendor} responds with ${status}: ${shown(text, key)}`,
    {
      hint: isKey
        ? "set the key of the vendor, such as OPENAI_API_KEY, in the environment"
        : "check the name of the model and the request",
    },
  );
}

/** The message of a vendor in one line. Some vendors repeat the key. */
function shown(text: string, key: string | undefined): string {
  let said = text;
  try {
    const value: unknown = JSON.parse(text);
    const error: unknown = isRecord(value) ? value["error"] : undefined;
    said = textAt(error, "message") || text;
  } catch {
    // Not JSON.
  }
  return visibleLine(redactText(withoutKey(said, key))).slice(0, 500);
}

/** Hides the key, escaped or not. Not every key has a known form. */
function withoutKey(text: string, key: string | undefined): string {
  if (key === undefined) {
    return text;
  }
  const pattern = Array.from(key, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, "0");
    return String.raw`(?:\\?\x${code}|\\u00${code}|%${code})`;
  });
  return text.replaceAll(new RegExp(pattern.join(""), "gi"), hidden);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
  });
}
