import { RpcError } from "@tenon/jsonrpc2/core";

import { isAppError } from "../wire/error.ts";
import { refusedCode } from "../wire/names.ts";
import type { AuditEntry, ViewBridgeOptions } from "./options.ts";
import { refused, type Params } from "./view-requests.ts";

/** Serves a request of a view by its method. */
export type ServeMethod = (method: string, params: Params, signal: AbortSignal) => unknown;

/**
 * Wraps the serving of requests: `onAudit` gets every request with what became of it, and refusals
 * become error responses.
 */
export function audited(
  serve: ServeMethod,
  onAudit: ViewBridgeOptions["onAudit"],
  report: (error: unknown) => void,
): ServeMethod {
  return async (method, params, signal) => {
    const audit = (entry: Pick<AuditEntry, "outcome" | "error">): void => {
      try {
        onAudit?.({ method, params, ...entry });
      } catch (error) {
        report(error);
      }
    };
    try {
      const result: unknown = await serve(method, params, signal);
      audit({ outcome: result === refused ? "refused" : "done" });
      return result;
    } catch (error) {
      const isRefused = isAppError(error, "REFUSED");
      audit({ outcome: isRefused ? "refused" : "failed", error });
      if (isRefused) {
        throw new RpcError(refusedCode, error.message);
      }
      // Errors that are not for the view are reported by the peer.
      throw error;
    }
  };
}
