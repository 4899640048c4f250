import type { BrokerRequest, BrokerResponse } from "../http/exchange.ts";
import { problemPage } from "./consent.ts";
import { page } from "./html.ts";

/** A failure of the broker. */
export function failed(request: BrokerRequest, status: 500 | 503): BrokerResponse {
  return status === 503
    ? problem(request, status, {
        error: "temporarily_unavailable",
        title: "The login failed",
        text: "The login does not work at the moment. Try again in a minute.",
      })
    : problem(request, status, {
        error: "server_error",
        title: "The login failed",
        text: "Something went wrong in the broker.",
      });
}

/** A problem: a page for a browser, JSON for a client. */
export function problem(
  request: BrokerRequest,
  status: number,
  { error, title, text }: { readonly error: string; readonly title: string; readonly text: string },
  headers: readonly (readonly [string, string])[] = [],
): BrokerResponse {
  return request.headers["accept"]?.includes("text/html") === true
    ? page(status, problemPage(title, text), { headers })
    : {
        status,
        headers: [["content-type", "application/json"], ["cache-control", "no-store"], ...headers],
        body: JSON.stringify({ error, error_description: text }),
      };
}
