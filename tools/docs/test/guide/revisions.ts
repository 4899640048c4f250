import { Client, type ClientSession, type Negotiated, type Transport } from "@tenon/sdk/client";
import { Server } from "@tenon/sdk/server";

/** Both sides, each with a choice of revisions. */
export function choose(): { readonly server: Server; readonly client: Client } {
  // #region choose
  const server = new Server({ name: "old", version: "1.0.0" }, { revisions: ["2025-06-18", "2025-11-25"] });
  const client = new Client({ name: "new", version: "1.0.0" }); // supports every protocol version
  // #endregion choose
  return { server, client };
}

/** Connects twice, the second time without asking what the server speaks. */
export async function again(client: Client, first: () => Transport): Promise<[ClientSession, ClientSession]> {
  // #region prior
  const session = await client.connect(first());
  const { revision, era } = session; // "2026-07-28", "modern"
  const stored = JSON.stringify(session.negotiated);

  const later = await client.connect(first(), { prior: JSON.parse(stored) as Negotiated });
  // #endregion prior
  if (revision !== later.revision || era !== later.era) {
    throw new Error("The negotiated version has changed.");
  }
  return [session, later];
}
