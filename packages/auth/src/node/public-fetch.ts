import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { Agent as HttpAgent, request as sendHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as sendHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";

import { checkOptionNames } from "@tenon/base";

import { isPrivateAddress } from "../client/discover/address.ts";
import { AuthError } from "../shared/error.ts";

/** Options of {@link publicFetch}. */
export interface PublicFetchOptions {
  /**
   * Returns `true` for a private address that may be connected to, such as one of your own network.
   * `host` is the name that it belongs to, or the address itself. By default none is allowed.
   */
  readonly allow?: ((address: string, host: string) => boolean) | undefined;
  /** Resolves names. Default: `lookup` of `node:dns`. */
  readonly lookup?: LookupFunction | undefined;
}

/** The responses that cannot have a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Returns a `fetch` for URLs that strangers name: it connects to addresses of the public internet
 * only. Pass it as `fetch` to `createOAuth`, `oauthFor`, `jwt` or `checkClientDocument`.
 *
 * Each connection resolves its name once, and connects to an address that was checked: a name that
 * changes between a check and the connection gains nothing. A name with a private address is
 * refused, even if it has public addresses as well. Redirects are not followed, connections are not
 * reused, and proxies of the environment are not used.
 *
 * Bodies of requests are strings or bytes, or values that `String` converts. The `fetch` rejects
 * with `AuthError` `ADDRESS_REFUSED` for a private address, and with `TypeError` for a URL that is
 * not http or https.
 *
 * @throws `TypeError` for options that do not exist.
 * @example const auth = oauthFor({ fetch: publicFetch() });
 * @source R-790
 */
export function publicFetch(
  options: PublicFetchOptions = {},
): (input: string | URL, init?: RequestInit) => Promise<Response> {
  checkOptionNames("publicFetch", options, "allow lookup");
  const { allow, lookup = systemLookup } = options;
  const isRefused = (address: string, host: string): boolean =>
    isPrivateAddress(urlHost(address)) && allow?.(address, host) !== true;

  const checked: LookupFunction = (host, asked, callback) => {
    lookup(host, { ...asked, all: true }, (error, found) => {
      const addresses = found as LookupAddress[];
      if (error !== null) {
        callback(error, []);
        return;
      }
      const wrong = addresses.find(({ address }) => isRefused(address, host));
      const [first] = addresses;
      if (wrong !== undefined || first === undefined) {
        callback(wrong === undefined ? new Error(`${host} has no address.`) : refusal(host), []);
      } else if (asked.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
  // Connections of other agents lead to unchecked addresses.
  const http = { send: sendHttp, agent: new HttpAgent({ lookup: checked }) };
  const https = { send: sendHttps, agent: new HttpsAgent({ lookup: checked }) };

  return async (input, { method = "GET", headers, body, signal } = {}) => {
    const url = new URL(input);
    if (!/^https?:$/.test(url.protocol)) {
      throw new TypeError(`Expected an http or https URL, got one with the scheme ${url.protocol}`);
    }
    // Sockets do not look addresses up, only names.
    const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(literal) !== 0 && isRefused(literal, literal)) {
      throw refusal(url.hostname);
    }
    const { send, agent } = url.protocol === "http:" ? http : https;
    const content =
      body === undefined || body === null || body instanceof Uint8Array ? body : String(body as unknown);
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(url, {
        method,
        agent,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal instanceof AbortSignal ? { signal } : {}),
      });
      request.once("response", resolve);
      request.on("error", reject);
      request.end(content ?? undefined);
    });
    return responseOf(incoming);
  };
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  if (bodiless.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status, headers });
}

/** An address as the host of a `URL` is written, without its zone. */
function urlHost(address: string): string {
  const bare = address.replace(/%.*/, "");
  return isIP(bare) === 6 ? new URL(`http://[${bare}]`).hostname : bare;
}

function refusal(host: string): AuthError {
  return new AuthError(
    "ADDRESS_REFUSED",
    `${host} has a private address. If it belongs to your own network, allow it by the option allow of publicFetch.`,
  );
}
