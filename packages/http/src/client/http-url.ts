import { placeOf } from "./refusal.ts";

/** Hosts of this machine, which rarely have a certificate. */
const local = /^(?:localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)/i;

/**
 * Returns the URL of a server over HTTP.
 *
 * @throws `TypeError` for any other value; the message shows the expected form.
 */
export function httpUrl(value: string | URL): URL {
  const url = URL.canParse(String(value)) ? new URL(value) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") {
    return url;
  }
  // The query and the part before an @ are omitted, because both may contain secrets.
  const [shown = ""] = String(value).replace(/^.*@/, "").split(/[?#]/);
  const guess = `${local.test(shown) ? "http" : "https"}://${shown}`;
  const hint =
    !shown.includes("://") && /^[\w[]/.test(shown) && URL.canParse(guess)
      ? ` Did you mean ${JSON.stringify(placeOf(new URL(guess)))}?`
      : "";
  throw new TypeError(
    `The URL of a server must start with http:// or https://; got ${JSON.stringify(shown.slice(0, 200))}.${hint}`,
  );
}

/** The way to the server at a URL, as the `network` of a connection tells it. */
export interface HttpNetwork {
  readonly transport: "tcp";
  readonly protocol: "http";
  readonly address: string;
  readonly port: number;
}

/** Returns how a client reaches the server at a URL. */
export function networkOf({ protocol, hostname, port }: URL): HttpNetwork {
  return {
    transport: "tcp",
    protocol: "http",
    address: hostname,
    port: Number(port || (protocol === "https:" ? 443 : 80)),
  };
}
