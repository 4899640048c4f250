/** Names of this machine that no other machine can have. */
const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** The page and its files, or data that only the page may request. */
export type Need = "page" | "data";

/**
 * Why a request is refused, or `undefined` if it may come from the page. The checks need no
 * knowledge of who asks: they keep out other sites, rebound names and frames.
 *
 * @param hosts - The values of `Host` that are accepted. `undefined`: loopback names on any port.
 */
export function refusalOf(
  { method, headers, url }: Request,
  need: Need,
  hosts: readonly string[] | undefined,
): string | undefined {
  const host = headers.get("host") ?? new URL(url).host;
  if (hosts === undefined ? !loopback.test(host) : !hosts.includes(host.toLowerCase())) {
    return `The name ${JSON.stringify(host.slice(0, 100))} is not served here. Open the link that the inspector has printed.`;
  }
  const origin = headers.get("origin");
  if (origin !== null && !/^https?:$/.test(protocolOf(origin))) {
    return "Requests of this origin are not accepted.";
  }
  if (origin !== null && new URL(origin).host.toLowerCase() !== host.toLowerCase()) {
    return "Requests of other origins are not accepted.";
  }
  if (method === "POST" && origin === null) {
    return "Expected an Origin in a POST request; got none.";
  }
  const site = headers.get("sec-fetch-site");
  const expected = need === "page" ? ["same-origin", "none"] : ["same-origin"];
  if (site !== null && !expected.includes(site)) {
    return "Requests of other sites are not accepted.";
  }
  const destination = headers.get("sec-fetch-dest");
  const destinations = need === "page" ? ["document", "script", "style", "image", "empty"] : ["empty"];
  if (destination !== null && !destinations.includes(destination)) {
    return "Expected a request of the page itself; got one of a frame or an element.";
  }
  return undefined;
}

function protocolOf(origin: string): string {
  try {
    return new URL(origin).protocol;
  } catch {
    return "";
  }
}
