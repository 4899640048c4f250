const anyOrigin = "http://localhost";

/**
 * The path of a request, for the client to find others by: with two slashes at its beginning it
 * would name another host.
 */
export function pathOf(target: string): string {
  return urlOf(target).pathname.replace(/^\/+/, "/");
}

/** The session that a request names in its query; `""` if it names none. */
export function sessionIdOf(target: string): string {
  return urlOf(target).searchParams.get("sessionId") ?? "";
}

/** The request target: a path, which may start with two slashes, or a URL, or an invalid value. */
function urlOf(target: string): URL {
  const url = target.startsWith("/") ? anyOrigin + target : target;
  return new URL(URL.canParse(url) ? url : anyOrigin);
}
