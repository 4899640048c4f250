import { isSocketUrl, readSocketUrl } from "@tenon/http/socket";

import { usageError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";

/**
 * Returns the URL of a server in the usual form: `http+unix:` if it is on a socket, whatever form
 * the user or the configuration has. Other URLs are unchanged.
 *
 * @throws `CliError` for the malformed URL of a socket.
 */
export function usualAddress(url: string): string {
  if (!isSocketUrl(url)) {
    return url;
  }
  try {
    return readSocketUrl(url).url.href;
  } catch (error) {
    throw usageError(messageOf(error), "write it as in http+unix://%2Frun%2Fnotes.sock/mcp");
  }
}
