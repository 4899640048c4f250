import { statusError, type WireResponse } from "@tenon/http/client";
import type { Connection } from "@tenon/jsonrpc2";

import type { ClientContext } from "./context.ts";

/** Statuses of a server that does not know this transport. @source R-218 */
const unknownTransport: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Opens the transport of 2024-11-05 after a server has refused the handshake.
 *
 * @throws The refusal, if there is no falling back.
 */
export async function openFallback(
  { options: all, own, era, url }: ClientContext,
  refused: WireResponse,
): Promise<Connection> {
  const { fallback, fetch, headers, auth, limits } = all;
  const refusal = await statusError(refused, url);
  if (fallback === undefined || !unknownTransport.has(refused.status)) {
    throw refusal;
  }
  let connection: Connection;
  try {
    connection = await own.run((signal) =>
      fallback(url, { fetch, headers, auth, limits }).connect({ signal }),
    );
  } catch {
    throw refusal;
  }
  era.remember();
  return connection;
}
