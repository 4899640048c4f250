import { Client, LoggingTransport, type Transport } from "@tenon/sdk/client";

import { transcriptPrinter } from "./transcript.ts";

/** Connects to a notes server, shows what it can do, and the conversation that it takes. */
export async function tour(transport: Transport, out: { write(text: string): unknown }): Promise<void> {
  const client = new Client({ name: "notes-client", version: "1.0.0" });
  const session = await client.connect(new LoggingTransport(transport, transcriptPrinter(out)));
  try {
    out.write(
      `\nConnected to ${session.serverInfo?.name} in revision ${session.revision} (${session.era} era)\n\n`,
    );

    for await (const tool of session.tools()) {
      out.write(`  tool ${tool.name}: ${tool.description}\n`);
    }
    out.write("\n");

    await session.callTool({
      name: "add_note",
      arguments: { title: "Mortise", body: "The hole that a tenon fits into.", tags: ["wood"] },
    });
    await session.callTool({
      name: "add_note",
      arguments: { title: "Tenon", body: "The cut end of a beam.", tags: ["wood"] },
    });
    const found = await session.callTool({ name: "search_notes", arguments: { text: "beam" } });
    out.write(`\n  found ${JSON.stringify(found.structuredContent)}\n\n`);

    const refused = await session.callTool({ name: "add_note", arguments: { title: "" } });
    out.write(`\n  refused: ${JSON.stringify(refused.content)}\n\n`);
  } finally {
    await session.close();
  }
}
