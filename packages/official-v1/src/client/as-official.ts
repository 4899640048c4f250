import {
  isBatch,
  isMalformed,
  isNotification,
  isResponse,
  wrapTransport,
  type Incoming,
  type Message,
  type Transport,
} from "@tenon/jsonrpc2/core";
import { findMethod } from "@tenon/protocol";
import { ErrorCode } from "mcp-sdk-1/types.js";

import type { ClientInternals } from "./engine.ts";

/**
 * The transport of the modern client of an official one.
 *
 * The modern client ignores notifications that it does not know, so the official client gets them
 * here. A server with tasks of the official package is treated as a server without a modern
 * version: programs call such tasks by methods that only older versions have.
 */
export function asOfficial(
  transport: Transport,
  official: Pick<ClientInternals, "_onnotification">,
): Transport {
  return wrapTransport(transport, () => {
    // The first response belongs to `server/discover`.
    let isFirst = true;
    return {
      onRead(incoming: Incoming): Incoming {
        if (isBatch(incoming) || isMalformed(incoming)) {
          return incoming;
        }
        if (isResponse(incoming)) {
          const isRefused = isFirst && hasTasks(incoming);
          isFirst = false;
          return isRefused ? { jsonrpc: "2.0", id: incoming.id ?? null, error: unknownMethod } : incoming;
        }
        if (isNotification(incoming) && findMethod(incoming.method) === undefined) {
          official._onnotification(incoming);
        }
        return incoming;
      },
    };
  });
}

const unknownMethod = { code: ErrorCode.MethodNotFound, message: "Method not found" };

function hasTasks(response: Message): boolean {
  const { result } = response as { readonly result?: unknown };
  const { capabilities } = Object(result) as { readonly capabilities?: unknown };
  return (Object(capabilities) as { readonly tasks?: unknown }).tasks !== undefined;
}
