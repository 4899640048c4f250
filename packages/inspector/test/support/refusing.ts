import type { Transport } from "@tenon/jsonrpc2";

/** A transport whose server refuses calls of tools for lack of scopes while `isRefused` says so. */
export function refusing(inner: Transport, isRefused: () => boolean): Transport {
  const reason = "The server requires further scopes. Call login() to ask the user for them.";
  const refusal = { code: "SCOPE_DENIED", required: ["notes:write"] };
  return {
    async connect(options) {
      const connection = await inner.connect(options);
      const write: typeof connection.write = (message, how) =>
        "method" in message && message.method === "tools/call" && isRefused()
          ? Promise.reject(Object.assign(new Error(reason), refusal))
          : connection.write(message, how);
      return new Proxy(connection, {
        get: (of, name) => (name === "write" ? write : (Reflect.get(of, name, of) as unknown)),
      });
    },
  };
}
