import type { Cancellation } from "@tenon/jsonrpc2";

// #region cancellation
/** Cancels requests as the Language Server Protocol does, by the notification `$/cancelRequest`. */
export const cancelRequest: Cancellation = {
  notification: (id) => ({ method: "$/cancelRequest", params: { id } }),
  read({ method, params }) {
    const { id } = (params ?? {}) as { readonly id?: unknown };
    const isId = typeof id === "number" || typeof id === "string";
    return method === "$/cancelRequest" ? { id: isId ? id : undefined } : undefined;
  },
};
// #endregion cancellation
