import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";

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
}

const maxBodyLength = 16_384;
const timeoutMs = 10_000;

/** Sends a request and reads the start of the response: of an event stream its first event. */
export function send({ url, method, headers, body, signal }: HttpQuestion): Promise<HttpAnswer> {
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal, agent: false, timeout: timeoutMs }, (response) => {
      let text = "";
      const finish = (): void => {
        const fields = Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [
            name,
            Array.isArray(value) ? value.join(", ") : value,
          ]),
        );
        response.destroy();
        resolve({ status: response.statusCode ?? 0, headers: fields, body: text });
      };
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        const isEvent = /event-stream/.test(response.headers["content-type"] ?? "") && text.includes("\n\n");
        if (isEvent || text.length > maxBodyLength) {
          finish();
        }
      });
      response.on("end", finish);
      response.on("error", reject);
      if (method === "GET" && /event-stream/.test(response.headers["content-type"] ?? "")) {
        finish();
      }
    });
    sent.on("timeout", () => sent.destroy(new Error(`No response to ${method} within ${timeoutMs} ms.`)));
    sent.on("error", reject);
    sent.end(body);
  });
}
