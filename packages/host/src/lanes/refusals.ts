import { isRecord } from "@tenon/base";
import { ErrorCode, isLocalError, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import { isMcpError } from "@tenon/mcp";

import { isHostError, type HostError } from "../error.ts";
import { isNetworkError, provesUndelivered, wantsAuth } from "../server/wire.ts";

/** The refusal of a call that was not sent to the server. */
export function notSent(message: string, cause?: unknown): RpcError {
  const data = { reason: "not-sent", delivered: "no" };
  return new RpcError(ErrorCode.InternalError, message, { data, cause });
}

/**
 * The error of a call whose result will never arrive. Its server may have acted on it, so it must
 * not be repeated automatically.
 */
export function callLost(why: string, cause?: unknown): RpcError {
  return new RpcError(
    ErrorCode.InternalError,
    `${why} The call may have had effects: check that before you send it again.`,
    { data: { reason: "call-lost", delivered: "maybe" }, cause },
  );
}

/** The failure of a later request of a call, whose earlier requests may have had effects. */
export function afterEffects(failure: RpcError): RpcError {
  const { data, message, cause } = failure;
  if (!isRecord(data) || data["delivered"] !== "no") {
    return failure;
  }
  // The cause proves only that the later request did not run, and a manager would repeat the call.
  const delivered = "maybe";
  return callLost(
    message,
    cause === undefined ? undefined : Object.assign(new Error(message, { cause }), { delivered }),
  );
}

/** The refusal of an input request that belongs to no call. It is sent to the server. */
export function noCaller(method: string): RpcError {
  return new RpcError(
    ErrorCode.InternalError,
    `Cannot forward ${method}: no running call of this connection caused it.`,
  );
}

/**
 * The error of a request for the callers of a proxy. It names the server and says in general words
 * what happened: messages of local errors contain addresses, paths and the last lines of programs,
 * which are for the operator only. The error itself is the `cause`.
 *
 * An error that the server sent is returned unchanged.
 *
 * @param server - The name of the server, as the callers know it.
 * @returns `-32603` with `data.delivered`. `data.reason` is `not-sent`, `call-lost` or the code of
 *   the `HostError`.
 */
export function callerError(error: unknown, server?: string): RpcError {
  const known = isRpcError(error) ? error : reasonOfEnd(error);
  if (known !== undefined) {
    return known;
  }
  if (isHostError(error)) {
    return isRpcError(error.cause) ? error.cause : hostRefusal(error, server);
  }
  const message = whatHappened(error, server);
  return isUndelivered(error) ? notSent(message, error) : callLost(message, error);
}

function hostRefusal(error: HostError, server: string | undefined): RpcError {
  const { code, delivered, cause, message, retryAfterMs } = error;
  // Without a cause, or by a breaker, the message consists of words of this package only.
  const isOwn = cause === undefined || code === "BREAKER_OPEN";
  return new RpcError(ErrorCode.InternalError, isOwn ? message : refusalWords(code, cause, server), {
    data: { reason: code, delivered, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    cause: error,
  });
}

/** The message for callers. */
function refusalWords(code: HostError["code"], cause: unknown, server: string | undefined): string {
  switch (code) {
    case "DENIED":
      return "The policy of the proxy does not allow the call.";
    case "CONNECT_FAILED":
    case "SERVER_GONE":
      return unreachable(server, cause).message;
    default:
      return whatHappened(cause, server);
  }
}

function nameOf(server: string | undefined): string {
  return server === undefined ? "the server" : `the server ${server}`;
}

function whatHappened(error: unknown, server: string | undefined): string {
  const name = nameOf(server);
  const subject = `T${name.slice(1)}`;
  if (wantsAuth(error)) {
    return `${subject} does not accept the credentials that this proxy has for it.`;
  }
  if (isLocalError(error, "TIMEOUT") || isHostError(error, "TIMEOUT")) {
    return `${subject} did not respond in time.`;
  }
  if (isLocalError(error, "LIMIT_EXCEEDED")) {
    return `A message from or to ${name} exceeds a limit.`;
  }
  if (isMcpError(error, "INVALID_RESULT")) {
    return `${subject} returned an invalid result.`;
  }
  if (isMcpError(error, "CAPABILITY_MISSING") || isMcpError(error, "NOT_IN_REVISION")) {
    return `${subject} does not offer this.`;
  }
  const status: unknown = isRecord(error) ? error["status"] : undefined;
  if (typeof status === "number") {
    return `${subject} responded with HTTP status ${status}.`;
  }
  if (isLocalError(error, "CONNECTION_CLOSED") || isNetworkError(error)) {
    return isUndelivered(error)
      ? `${subject} cannot be reached.`
      : `${subject} ended, or its connection was lost, before it responded.`;
  }
  return `The request to ${name} failed.`;
}

/** The statuses of a gateway whose server is down. Others concern the request. */
const gatewayStatuses: ReadonlySet<unknown> = new Set([502, 503, 504]);

/** The reason for which the connection of a call was closed here, as an error for its caller. */
function reasonOfEnd(error: unknown): RpcError | undefined {
  const cause = isLocalError(error, "CONNECTION_CLOSED") ? error.cause : undefined;
  return isRpcError(cause) && isRecord(cause.data) && cause.data["reason"] === "call-lost"
    ? cause
    : undefined;
}

/** Whether a server, or the way to it, may be down. One request alone does not prove it. */
export function isUnreachable(error: unknown): boolean {
  return (isLocalError(error, "CONNECTION_CLOSED") && reasonOfEnd(error) === undefined) || isTransient(error);
}

/** Whether the server did not respond, or only a gateway did. A later request may succeed. */
export function isTransient(error: unknown): boolean {
  return isNetworkError(error) || (isRecord(error) && gatewayStatuses.has(error["status"]));
}

/** Whether a server responded: it requires other credentials, or refuses the request. */
export function isRefusal(error: unknown): boolean {
  if (isRpcError(error) || wantsAuth(error)) {
    return true;
  }
  for (let cause = error, depth = 0; isRecord(cause) && depth < 8; cause = cause["cause"], depth++) {
    if (typeof cause["status"] === "number") {
      return !gatewayStatuses.has(cause["status"]);
    }
  }
  return false;
}

/** Whether a request certainly did not reach the server. */
function isUndelivered(error: unknown): boolean {
  return (
    provesUndelivered(error) ||
    isMcpError(error, "CAPABILITY_MISSING") ||
    isMcpError(error, "NOT_IN_REVISION")
  );
}

/** The refusal of a call for which no connection could be opened. */
export function unreachable(server: string | undefined, cause: unknown): RpcError {
  const message = wantsAuth(cause)
    ? whatHappened(cause, server)
    : `T${nameOf(server).slice(1)} cannot be reached.`;
  return notSent(message, cause);
}

/** The end of a call that waited for input for too long, while others waited for its connection. */
export function gaveWay(server: string | undefined, giveWayMs: number): RpcError {
  return callLost(
    `The call was ended: it had waited for input for more than ${giveWayMs} ms (giveWayMs), while other calls waited for its connection to ${nameOf(server)}.`,
  );
}

/** The end of a call on a replaced connection, if too many of them carry calls. */
export function tooManyReplaced(server: string | undefined, maxLanes: number): RpcError {
  return callLost(
    `The call was ended: its connection to ${nameOf(server)} was replaced, and too many replaced connections have running calls. The limit is ${maxLanes} (maxLanes).`,
  );
}

/** The end of a call whose server has restarted since it requested input. */
export function serverRestarted(server: string | undefined, cause: unknown): RpcError {
  const why = `T${nameOf(server).slice(1)} has restarted since it requested input, and does not know the call any more.`;
  return callLost(why, cause);
}

/** The report of log messages that are dropped. */
export function unknownLogs(name = "a server"): Error {
  return new Error(
    `Log messages of ${name} are dropped: they name no call, and several clients use the connection. Give each client a connection of its own, or connect to the server over HTTP.`,
  );
}
