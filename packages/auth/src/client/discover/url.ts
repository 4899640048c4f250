import { placeOf } from "@tenon/http/client";

import { AuthError } from "../../shared/error.ts";
import { isLocalAddress, isPrivateAddress } from "./address.ts";

declare const safe: unique symbol;

/**
 * An authorization URL that has been checked: https or loopback, without credentials, control
 * characters or a fragment. Only this package creates it.
 */
export interface SafeAuthorizationUrl {
  /** The whole URL. It contains the `state` of the flow: do not log it. */
  readonly href: string;
  /** The host that the user will visit, to show before the page is opened. */
  readonly host: string;
  readonly [safe]: true;
}

/**
 * Decides whether a client may connect to a URL that a server named. It throws, or rejects, to
 * refuse; a return value other than `undefined` refuses too.
 */
export type AddressGuard = (url: URL) => void | Promise<void>;

/** Maximum length of an authorization URL. */
const maxAuthorizationUrl = 8192;
/** Maximum length of any other URL. */
const maxUrl = 2048;

/** Checks the URLs that servers name. */
export interface UrlRules {
  /** The MCP server, for errors. */
  readonly server: string;
  /**
   * Returns the URL of an endpoint or a document. @param what - For the error, such as "token
   * endpoint". @throws `AuthError` `INSECURE_URL`.
   */
  parse(value: string, what: string): URL;
  /** Applies the address guard. @throws `AuthError` `ADDRESS_REFUSED`. */
  admit(url: URL): Promise<void>;
}

/**
 * Returns the rules for the URLs that a server names. http is allowed only on loopback, and only if
 * the MCP server is on loopback. Private addresses are allowed only if the MCP server has such an
 * address.
 */
export function urlRules(server: URL, guard: AddressGuard | undefined): UrlRules {
  const isServerLocal = isLocalAddress(server.hostname);
  const isServerPrivate = isPrivateAddress(server.hostname);
  const place = placeOf(server);
  return {
    server: place,
    parse(value, what) {
      const url = clean(value, maxUrl);
      const isHttp = url?.protocol === "http:" && isServerLocal && isLocalAddress(url.hostname);
      if (url === undefined || !(url.protocol === "https:" || isHttp)) {
        throw new AuthError(
          "INSECURE_URL",
          `The ${what} must be an https URL without credentials and fragment${isServerLocal ? ", or http on loopback" : ""}; got ${describe(value)}.`,
          { server: place },
        );
      }
      return url;
    },
    async admit(url) {
      try {
        if (guard !== undefined) {
          const answer: unknown = await guard(url);
          if (answer !== undefined) {
            throw new TypeError("guard must return undefined to allow an address, and throw to refuse it.");
          }
        } else if (isPrivateAddress(url.hostname) && !isServerPrivate) {
          throw new Error("The address is private.");
        }
      } catch (cause) {
        throw new AuthError(
          "ADDRESS_REFUSED",
          `The address of ${url.host} is private, and the MCP server at ${server.host} is not. If this is your own network, pass a guard that allows it.`,
          { server: place, cause },
        );
      }
    },
  };
}

/**
 * Marks an authorization URL as checked. @param url - Its base has passed {@link UrlRules.parse}.
 * @throws `AuthError` `LIMIT`.
 */
export function authorizationUrl(url: URL, server: string): SafeAuthorizationUrl {
  if (url.href.length > maxAuthorizationUrl) {
    throw new AuthError(
      "LIMIT",
      `The authorization URL has ${url.href.length} characters; at most ${maxAuthorizationUrl} are allowed. Request fewer scopes.`,
      { server },
    );
  }
  return { href: url.href, host: url.host } as SafeAuthorizationUrl;
}

/**
 * The resource identifier of an endpoint: without query and fragment, and without a slash for an
 * empty path.
 */
export function canonicalResource(endpoint: URL): string {
  return placeOf(endpoint).replace(/^([^/]*\/\/[^/]*)\/$/, "$1");
}

/**
 * Returns whether two strings are the issuer of one server: equal, or, for an issuer without a
 * path, different by one terminating slash.
 */
export function differBySlash(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return `${short}/` === long && URL.canParse(long) && new URL(long).pathname === "/" && !/[?#]/.test(long);
}

function clean(value: string, maxLength: number): URL | undefined {
  // The parser would remove tabs and line ends and turn backslashes into slashes: none of them is
  // part of an honest URL.
  if (value.length > maxLength || !/^[!#%&*-;=?-[\]_a-z~]+$/.test(value) || !URL.canParse(value)) {
    return undefined;
  }
  const url = new URL(value);
  return url.username === "" && url.password === "" && !value.includes("#") ? url : undefined;
}

/** The scheme and the host of a refused URL, without what it may hide. */
function describe(value: string): string {
  if (!URL.canParse(value)) {
    return "a string that is not a URL";
  }
  const { protocol, host } = new URL(value);
  return `a URL with the scheme ${JSON.stringify(protocol.slice(0, 40))}${host === "" ? "" : ` and the host ${JSON.stringify(host.slice(0, 100))}`}`;
}
