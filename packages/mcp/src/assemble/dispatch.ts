import type { RegisteredMessage } from "../feature/extensions/registry.ts";
import type { Next } from "../request/middleware.ts";

type Params = Readonly<Record<string, unknown>>;

/**
 * Makes the innermost handler of a client or a server: it passes a request or notification to the
 * feature that has its method, otherwise to the extension that has it. For an unknown method it
 * returns `undefined`; requests with unknown methods are rejected before.
 */
export function dispatchByMethod<R extends { readonly method: string; readonly params: Params }>(
  methods: ReadonlyMap<string, (params: Params, request: R) => unknown>,
  extensions: { get(method: string): RegisteredMessage<R> | undefined },
): Next<R> {
  return (request) => {
    const { method, params } = request;
    const handle = methods.get(method);
    return handle === undefined ? extensions.get(method)?.handle(params, request) : handle(params, request);
  };
}
