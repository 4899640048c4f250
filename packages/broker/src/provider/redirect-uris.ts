/** Schemes that run code, read files or belong to the browser. */
const forbidden: ReadonlySet<string> = new Set(
  [
    "javascript",
    "data",
    "vbscript",
    "file",
    "blob",
    "about",
    "ftp",
    "ws",
    "wss",
    "view-source",
    "filesystem",
  ].map((scheme) => `${scheme}:`),
);
/** Hosts of names and addresses: other characters would mean something in the policy of a page. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i;
const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Maximum length of a redirect URI. */
const maxLength = 2048;

/**
 * Whether a client may be sent to a URI: https, http on this computer, or the scheme of an app.
 * Names that only look like this computer, such as `127.0.0.1.example.com`, need https.
 */
export function isSafeRedirect(uri: string): boolean {
  // Backslashes, spaces and control characters are read differently by browsers.
  if (uri.length > maxLength || !/^[!-[\]-~]+$/.test(uri) || !URL.canParse(uri)) {
    return false;
  }
  const { protocol, hostname, username, password, hash } = new URL(uri);
  if (username !== "" || password !== "" || hash !== "" || uri.includes("#") || forbidden.has(protocol)) {
    return false;
  }
  return protocol === "https:" ? plainHost.test(hostname) : protocol !== "http:" || loopback.has(hostname);
}

/** Whether a URI leads to the computer of the user, where any program can receive it. */
export function isLocalRedirect(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol !== "https:" || loopback.has(hostname);
}

/** The destination of a URI, for users. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : `${protocol}//${host}`;
}
