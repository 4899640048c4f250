import { anySignal } from "@tenon/base";
import { fetchWire, platformWire, type FetchLike } from "@tenon/http/client";

/** The response of a server, with the start of its body. */
export interface HttpAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A request with any headers, `Host` included, which `fetch` does not send. */
export interface HttpQuestion {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Sends the request, if the user chose a proxy. By default the environment names it. */
  readonly fetch?: FetchLike | undefined;
}

/** The settings of all requests of a command. */
export type HttpSender = Pick<HttpQuestion, "signal" | "fetch">;

const maxBodyLength = 16_384;
const timeoutMs = 10_000;

/** Sends a request and reads the start of the response: of an event stream its first event. */
export async function send({ url, method, headers, body, signal, fetch }: HttpQuestion): Promise<HttpAnswer> {
  const wire = fetch === undefined ? platformWire : fetchWire(fetch);
  const late = new AbortController();
  const silence = (): void => late.abort(new Error(`No response to ${method} within ${timeoutMs} ms.`));
  let timer = setTimeout(silence, timeoutMs);
  const ends = anySignal([signal, late.signal]);
  try {
    const response = await wire({ url, method, headers, body, signal: ends });
    const fields = Object.fromEntries(
      Object.entries(response.fields?.() ?? {}).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : value,
      ]),
    );
    const isStream = /event-stream/.test(fields["content-type"] ?? "");
    const decoder = new TextDecoder();
    let text = "";
    if (method !== "GET" || !isStream) {
      for await (const chunk of response.body) {
        clearTimeout(timer);
        timer = setTimeout(silence, timeoutMs);
        text += decoder.decode(chunk, { stream: true });
        if (text.length > maxBodyLength || (isStream && text.includes("\n\n"))) {
          break;
        }
      }
    } else {
      response.discard();
    }
    return { status: response.status, headers: fields, body: text };
  } finally {
    clearTimeout(timer);
    // Closes the connection of a body that was not read to its end.
    late.abort();
  }
}
