import type { BrokerResponse } from "./exchange.ts";

/** Sends a browser to another page, by GET. */
export function redirect(to: string, headers: readonly (readonly [string, string])[] = []): BrokerResponse {
  return {
    status: 303,
    headers: [
      ["location", to],
      ["cache-control", "no-store"],
      ["referrer-policy", "no-referrer"],
      ...headers,
    ],
    body: "",
  };
}
