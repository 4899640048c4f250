import {
  readText,
  mediaType,
  readEvents,
  statusError,
  withText,
  type WireResponse,
} from "@tenon/http/client";
import {
  encode,
  LocalError,
  type ErrorResponse,
  type Incoming,
  type Request,
  type ResultResponse,
} from "@tenon/jsonrpc2/core";
import { isRepeatable } from "@tenon/protocol";

import { HeaderName, MediaType } from "../shared/names.ts";
import { LegacySession } from "./legacy-session.ts";
import { sendOneWay } from "./one-way.ts";
import { legacyHeaders } from "./request-headers.ts";
import type { SenderOwner } from "./sender.ts";

type Answer = ResultResponse | ErrorResponse;

/** How long a client that disconnects waits for the server to end its session, in milliseconds. */
const farewellMs = 1000;

/** Requests of the transport itself have ids that no peer chooses. */
let lastId = 0;

/**
 * Opens a session in place of an expired session: the same handshake, then the log level and the
 * subscriptions of the old session.
 *
 * @throws If the server rejects the handshake, or negotiates another protocol version.
 */
export async function reopen(
  owner: SenderOwner,
  lost: LegacySession,
  signal: AbortSignal,
): Promise<LegacySession> {
  const session = new LegacySession(lost.initialize);
  const { response, answer } = await askPrivately(owner, lost.initialize, {}, signal);
  if ("error" in answer) {
    const { code, message } = answer.error;
    throw new LocalError("INVALID_STATE", `The server refused to open a new session: ${message} (${code}).`);
  }
  session.opened(response.header(HeaderName.sessionId), answer.result);
  try {
    await restore(owner, session, lost, signal);
  } catch (error) {
    // No other code knows the session.
    await endSession(owner, session);
    throw error;
  }
  return session;
}

/** Ends a session. A server that does not respond is left alone. @source R-366 */
export async function endSession({ http, url }: SenderOwner, { id, headers }: LegacySession): Promise<void> {
  if (id === undefined) {
    return;
  }
  try {
    const signal = AbortSignal.timeout(farewellMs);
    const response = await http({ url, method: "DELETE", headers, signal });
    response.discard();
  } catch {
    // The session ends by itself after a while.
  }
}

async function restore(
  owner: SenderOwner,
  session: LegacySession,
  lost: LegacySession,
  signal: AbortSignal,
): Promise<void> {
  if (session.version !== lost.version) {
    const versions = `${session.version} instead of ${lost.version}`;
    throw new LocalError(
      "INVALID_STATE",
      `The server now speaks protocol version ${versions}: connect again.`,
    );
  }
  await sendOneWay(
    owner,
    { jsonrpc: "2.0", method: "notifications/initialized" },
    legacyHeaders(session),
    signal,
  );
  for (const request of lost.state()) {
    await askPrivately(owner, request, session.headers, signal);
    session.note(request);
  }
  // The connection may have been closed without any request in flight.
  signal.throwIfAborted();
}

/** Sends a request of the transport itself. @throws `HttpError` if no response arrives. */
export async function askPrivately(
  owner: SenderOwner,
  request: Pick<Request, "method" | "params">,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly response: WireResponse; readonly answer: Answer }> {
  const { url, http, maxMessageBytes, decode } = owner;
  const id = `transport-${++lastId}`;
  const { method, params } = request;
  const message: Request = { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
  const response = await http({
    url,
    method: "POST",
    headers: { ...legacyHeaders(undefined), ...headers },
    body: encode(message),
    signal,
    once: !isRepeatable(message),
  });
  const type = mediaType(response.header("content-type"));
  if (type === MediaType.json) {
    const text = await readText(response, maxMessageBytes);
    const answer = await decode(text);
    if (answers(answer, id)) {
      return { response, answer };
    }
    throw await statusError(withText(response, text), url);
  }
  if (type === MediaType.events && response.status === 200) {
    for await (const { data } of readEvents(response.body, { maxEventLength: maxMessageBytes })) {
      const incoming = data === "" ? undefined : await decode(data);
      if (incoming !== undefined && answers(incoming, id)) {
        return { response, answer: incoming };
      }
    }
  }
  throw await statusError(response, url);
}

function answers(incoming: Incoming, id: string): incoming is Answer {
  return "id" in incoming && incoming.id === id && ("result" in incoming || "error" in incoming);
}
