import type { FetchLike } from "../fetch-wire.ts";
import { fetchOver } from "../wire-fetch.ts";
import { lazily } from "./lazily.ts";

/**
 * A `fetch` for URLs of sockets, as `socketUrl` writes them. It uses no proxy. Requests name the
 * host `localhost`, which servers accept by default, because a socket has no name.
 *
 * In a directory that is writable for all users, such as `/tmp`, a socket of another user is
 * refused: that user may have put it there to receive the requests.
 */
export const socketFetch: FetchLike = /* @__PURE__ */ fetchOver(
  /* @__PURE__ */ lazily(async () => (await import("./socket.lazy.ts")).socketWire),
);
