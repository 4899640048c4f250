import type { RemoteSpec, StdioSpec } from "@tenon/host";
import { isSocketUrl } from "@tenon/http/socket";

/**
 * Whether the requests to a server carry the tokens of a login. A program, a server on a socket and
 * a server with an `Authorization` header of its own need none.
 */
export function usesLogin(spec: StdioSpec | RemoteSpec): spec is RemoteSpec {
  return (
    spec.type !== "stdio" &&
    !isSocketUrl(spec.url) &&
    !Object.keys(spec.headers ?? {}).some((name) => /^authorization$/i.test(name))
  );
}

/** Whether two URLs are of one server, and therefore have one login. */
export function haveOneLogin(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/#.*/, "") : url;
}
