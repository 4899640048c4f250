import { ErrorCode, RpcError } from "../error.ts";
import type { MethodMap, ParamsOf, ResultOf } from "../methods.ts";
import type { Handler, Scope } from "./handler.ts";

/**
 * One function per method of `T`. Parameters are typed but not validated: the remote peer may send
 * any value.
 */
export type MethodHandlers<T> = {
  readonly [M in keyof T]: (params: ParamsOf<T, M>, scope: Scope) => Returned<ResultOf<T, M>>;
};

/** What a handler returns. The handler of a notification may return nothing. */
type Returned<R> = [R] extends [undefined] ? void | Promise<void> : R | Promise<R>;

/**
 * A handler that dispatches by method name. Names are looked up among the table's own properties
 * only, so `toString` or `__proto__` are unknown methods like any other. Unknown requests get
 * `-32601`, unknown notifications are ignored.
 */
export function methodHandler<T extends MethodMap<T>>(methods: MethodHandlers<T>): Handler {
  const table = new Map<string, (params: never, scope: Scope) => unknown>(Object.entries(methods));
  return (scope) => {
    const method = table.get(scope.method);
    if (method !== undefined) {
      return method(scope.params as never, scope);
    }
    if (scope.id !== undefined) {
      throw methodNotFound(scope.method);
    }
    return undefined;
  };
}

/**
 * The error for a request with an unknown method, `-32601`.
 *
 * @param why - Appended to the name, if the caller can do something about the reason.
 * @source JSON-RPC 2.0 §5.1
 */
export function methodNotFound(method: string, why?: string): RpcError {
  // The remote peer chose the name, so a long name is not echoed.
  const name = method.length > 100 ? `${method.slice(0, 100)}…` : method;
  const reason = why === undefined ? "" : ` (${why})`;
  return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${name}${reason}`);
}

/** The handler of a peer that has no methods. */
export const knowsNothing: Handler = ({ id, method }) => {
  if (id !== undefined) {
    throw methodNotFound(method);
  }
};
