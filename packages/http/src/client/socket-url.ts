/** The address of a server that listens on a socket. */
export interface SocketAddress {
  /** The path of the socket. */
  readonly socket: string;
  /** As {@link socketUrl} writes it. */
  readonly url: URL;
  /** `pipe` for the named pipes of Windows. */
  readonly transport: "unix" | "pipe";
}

/** Whether a URL names a socket, in either form. It may still be malformed. */
export function isSocketUrl(url: string): boolean {
  return /^(?:http\+unix|unix|pipe):\/\//i.test(url);
}

/** The `http+unix` form: the path of the socket is the host. */
const usual = /^http\+unix:\/\/([^/?#]+)/i;
/** The form of VS Code: the path of the URL is the socket, and its fragment the endpoint. */
const ofVSCode = /^(unix|pipe):\/\/(\/[^?#]*)(?:#(.*))?$/i;

/**
 * Returns the URL of a server on a Unix socket or a Windows named pipe:
 * `http+unix://%2Frun%2Fuser%2F1000%2Fnotes.sock/mcp`. The path of the socket takes the place of
 * the host, with percent-encoded slashes.
 *
 * @param socket - The absolute path of the socket, or `\\.\pipe\name` on Windows.
 * @param path - The path of the endpoint, and its query. Default: `/mcp`.
 * @throws `TypeError` for a path that is relative, or longer than the system allows.
 */
export function socketUrl(socket: string, path = "/mcp"): URL {
  checkSocket(socket);
  return new URL(path, `http+unix://${encodeURIComponent(socket)}`);
}

/**
 * Reads the URL of a server on a socket: as {@link socketUrl} writes it, or in the form of VS Code,
 * `unix:///run/user/1000/notes.sock#/mcp` and `pipe:///pipe/notes#/mcp`.
 *
 * @throws `TypeError` for any other URL; the message shows the expected form.
 */
export function readSocketUrl(value: string | URL): SocketAddress {
  const { href, host, pathname, search } = parsed(value);
  const [isUsual] = usual.exec(href) ?? [];
  if (isUsual !== undefined) {
    const socket = decoded(host);
    return { socket, url: socketUrl(socket, pathname + search), transport };
  }
  const [, scheme = "", place, endpoint = ""] = ofVSCode.exec(href) ?? [];
  if (place === undefined) {
    throw malformed(href);
  }
  const socket = scheme.toLowerCase() === "pipe" ? pipeOf(decoded(place)) : decoded(place);
  return { socket, url: socketUrl(socket, endpoint === "" ? "/" : endpoint), transport };
}

function parsed(value: string | URL): URL {
  if (!URL.canParse(String(value))) {
    throw malformed(String(value));
  }
  return new URL(value);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new TypeError(`${JSON.stringify(text)} is not percent-encoded correctly.`, { cause });
  }
}

/** Returns the named pipe of a path such as `/pipe/notes` or `/./pipe/notes`. */
function pipeOf(place: string): string {
  const name = place.replaceAll("\\", "/").replace(/^\/+(?:[.?]\/)?(?:pipe\/)?/i, "");
  return `\\\\.\\pipe\\${name.replaceAll("/", "\\")}`;
}

function malformed(url: string): TypeError {
  // The query and the part before an @ are omitted, because both may contain secrets.
  const [shown = ""] = url.replace(/^.*@/, "").split(/[?#]/);
  return new TypeError(
    `URLs of sockets must have the form "http+unix://%2Frun%2Fnotes.sock/mcp", with the percent-encoded path of the socket as the host; got ${JSON.stringify(shown.slice(0, 200))}.`,
  );
}

const isWindows = process.platform === "win32";
const transport = isWindows ? "pipe" : "unix";
/** Node truncates longer paths without an error. */
const maxBytes = process.platform === "linux" ? 107 : isWindows ? 256 : 103;

/** @throws `TypeError` for a path at which no socket can be. */
function checkSocket(socket: string): void {
  const shown = JSON.stringify(socket.slice(0, 300));
  const isPipe = /^[\\/]{2}[.?][\\/]pipe[\\/]./.test(socket);
  if (isWindows ? !isPipe : !socket.startsWith("/") || socket.includes("\0")) {
    const expected = isWindows ? "\\\\.\\pipe\\name" : "an absolute path";
    throw new TypeError(`Paths of sockets must be ${expected}; got ${shown}.`);
  }
  const bytes = Buffer.byteLength(socket);
  if (bytes > maxBytes) {
    throw new TypeError(
      `Paths of sockets can have at most ${maxBytes} bytes on this system; got ${bytes} bytes: ${shown}. Use a shorter directory, such as $XDG_RUNTIME_DIR.`,
    );
  }
}
