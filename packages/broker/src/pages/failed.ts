import type { BrokerRequest, BrokerResponse } from "../http/exchange.ts";
import { problemPage } from "./consent.ts";
import { page } from "./html.ts";

/** A failure of the broker: a page for a browser, JSON for a client. */
export function failed(request: BrokerRequest, status: 500 | 503): BrokerResponse {
  const text =
    status === 503
      ? "The login does not work at the moment. Try again in a minute."
      : "Something went wrong in the broker.";
  return request.headers["accept"]?.includes("text/html") === true
    ? page(status, problemPage("The login failed", text))
    : {
        status,
        headers: [
          ["content-type", "application/json"],
          ["cache-control", "no-store"],
        ],
        body: JSON.stringify({
          error: status === 503 ? "temporarily_unavailable" : "server_error",
          error_description: text,
        }),
      };
}
