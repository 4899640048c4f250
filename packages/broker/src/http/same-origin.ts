import type { BrokerRequest } from "./exchange.ts";

/** Whether a form was sent by a page of this origin, as far as the browser tells. */
export function isSameOrigin({ headers }: BrokerRequest, origin: string): boolean {
  const { origin: from, "sec-fetch-site": site } = headers;
  return (from === undefined || from === origin) && (site === undefined || site === "same-origin");
}
