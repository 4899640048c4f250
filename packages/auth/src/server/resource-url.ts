/** The path that clients insert in front of the path of a resource. @source RFC 9728 §3.1 */
export const wellKnown = "/.well-known/oauth-protected-resource";

/**
 * Checks the URL of a resource or of an issuer.
 *
 * @param subject - For the error, such as "resource".
 * @throws `TypeError` for anything but an https URL, or an http URL on loopback, and for one with
 *   credentials or a fragment.
 */
export function checkedUrl(value: string, subject: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? "");
  const isSecure = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
  if (url === undefined || !isSecure || value.includes("#") || url.username !== "" || url.password !== "") {
    throw new TypeError(
      `${subject} must be an https URL without credentials and fragment, such as "https://mcp.example.com/mcp" (http on loopback only).`,
    );
  }
  return url;
}

/** Returns the URL of the metadata of a resource. */
export function metadataUrlOf({ origin, pathname, search }: URL): string {
  return `${origin}${wellKnown}${pathname === "/" ? "" : pathname}${search}`;
}
