/**
 * The modern era for official clients over Streamable HTTP. Loaded when a client connects over HTTP
 * and `modernHttp` is on.
 *
 * @packageDocumentation
 */

import type { Connection } from "@tenon/jsonrpc2/core";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";

import type { Negotiated } from "../shared/internals.ts";
import { asOfficial } from "./as-official.ts";
import type { ClientInternals, HttpInternals } from "./engine.ts";
import { createClient, sessionOf } from "./modern.lazy.ts";

/**
 * Opens a modern session on a connection of its own. If there is none, nothing has been sent on the
 * connection of the official transport.
 */
export async function negotiateHttp(
  official: ClientInternals,
  { _url: url, _fetchWithInit: send }: HttpInternals,
  connection: Connection,
  signal: AbortSignal,
): Promise<Negotiated> {
  const client = createClient(official);
  try {
    const transport = new StreamableClientTransport(url, { fetch: (to, init) => send(to, init) });
    const session = await client.connect(asOfficial(transport, official), { signal });
    return { session: sessionOf(client, session) };
  } catch {
    return { connection };
  }
}
