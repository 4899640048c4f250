import { isScope } from "@tenon/http/server";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import { transportHint } from "@tenon/jsonrpc2/transport";

/**
 * The error for a sender without the scopes of an operation. Throw it in a handler if the scopes
 * are known only at run time. Over Streamable HTTP the response is 403 with a challenge that names
 * the scopes, so that the client can ask for them; on other transports, and once an event stream
 * has begun, it is a JSON-RPC error `-32600` with `data.requiredScopes`.
 *
 * @example
 * server.addTool({ name: "delete_everything" }, (_, { auth }) => {
 *   if (auth?.scopes?.includes("notes:admin") !== true) {
 *     throw new InsufficientScope(["notes:admin"]);
 *   }
 * });
 *
 * @source
 */
export class InsufficientScope extends RpcError {
  /**
   * A lack of scopes.
   *
   * @param scopes - All scopes that the operation needs.
   * @param description - One sentence for the developer of the client. It is sent.
   * @throws `TypeError` for a scope that RFC 6749 does not allow.
   */
  constructor(scopes: readonly string[], description?: string) {
    if (scopes.length === 0 || !scopes.every(isScope)) {
      throw new TypeError(
        `InsufficientScope takes scopes such as ["notes:write"]; got ${JSON.stringify(scopes)}.`,
      );
    }
    super(ErrorCode.InvalidRequest, description ?? `Forbidden: this needs ${scopes.join(" ")}`, {
      data: { requiredScopes: scopes },
    });
    Object.defineProperty(this, transportHint, { value: { scopes, description } });
  }
}
