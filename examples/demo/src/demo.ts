// One call in both eras: legacy over standard input and output, modern over HTTP, where two
// processes serve the requests in turn.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createInterface as createPrompt } from "node:readline/promises";
import { fileURLToPath } from "node:url";

import { Client, LoggingTransport, type Transport } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { CommandTransport } from "@tenon/sdk/stdio";
import { recordTransport } from "@tenon/testing";

import { sideBySide } from "./columns.ts";
import { wirePrinter } from "./wire.ts";

const program = fileURLToPath(new URL("server.js", import.meta.url));
const print = (text: string): void => void process.stdout.write(text);
let city: string | undefined;

/** The destination: from the terminal once, or without a terminal by itself. */
async function destination(message: string): Promise<string> {
  if (city === undefined && process.stdin.isTTY && process.stdout.isTTY) {
    const prompt = createPrompt({ input: process.stdin, output: process.stdout });
    city = (await prompt.question(`\nThe server asks: ${message} [Oslo] `)).trim();
    prompt.close();
  } else if (city === undefined) {
    print(`\nThe server asks: ${message} Without a terminal the response is Oslo.\n`);
  }
  city ||= "Oslo";
  return city;
}

/** Calls the tool, and collects its messages. */
async function tour(transport: Transport, revision: "2025-11-25" | "2026-07-28"): Promise<readonly string[]> {
  const lines: string[] = [];
  const client = new Client(
    { name: "demo", version: "1.0.0" },
    {
      revisions: [revision],
      elicitation: {
        form: async ({ message }) => ({ action: "accept", content: { city: await destination(message) } }),
      },
    },
  );
  await using session = await client.connect(new LoggingTransport(transport, wirePrinter(lines)));
  await session.listTools();
  const { content } = await session.callTool(
    { name: "plan_trip", arguments: { days: 3 } },
    {
      onProgress: ({ progress, total, message }) => print(`  ${revision}: ${message} ${progress}/${total}\n`),
    },
  );
  return [...lines, "", ...content.map((block) => (block.type === "text" ? block.text : block.type))];
}

const env = { ...process.env, DEMO_SECRET: randomBytes(32).toString("base64") };
const children = ["A", "B"].map((name) =>
  spawn(process.execPath, [program, name, "--http"], { env, stdio: ["ignore", "pipe", "inherit"] }),
);
try {
  const urls = await Promise.all(
    children.map(async ({ stdout }) => ((await once(createInterface(stdout), "line")) as [string])[0]),
  );
  let turn = 0;
  const inTurn: typeof fetch = (_, init) => fetch(urls[turn++ % urls.length] ?? "", init);

  print("\n── One tool in both generations of the protocol\n\n");
  print("A client asks a server to plan a trip. The tool works for a moment, asks the user for the\n");
  print("destination, and books. An old client and then a new one use the same server, because\n");
  print("its author has written the tool once. The progress that the clients see:\n\n");
  const legacy = await tour(
    new CommandTransport({ command: process.execPath, args: [program, "A"] }),
    "2025-11-25",
  );
  const file = join(tmpdir(), `tenon-demo-${process.pid}.jsonl`);
  const recording = createWriteStream(file, { mode: 0o600 });
  const http = new StreamableClientTransport(urls[0] ?? "", { fetch: inTurn });
  const modern = await tour(recordTransport(http, { write: (line) => recording.write(line) }), "2026-07-28");
  recording.end();

  const heads = [
    ["2025-11-25 over stdio, one process", ""],
    ["2026-07-28 over HTTP, two processes in turn", ""],
  ] as const;
  const width = Math.min(Math.max(process.stdout.columns ?? 120, 60), 200);
  print("\nThe messages on the wire: → is sent by the client, ← by the server.\n");
  print("Left, one process keeps the call in its memory while the user thinks. Right, the request is\n");
  print("sent again with the response of the user, so another process may continue it.\n");
  print(`\n${sideBySide([...heads[0], ...legacy], [...heads[1], ...modern], width)}\n`);
  print(`Recording of the messages: ${file}\n`);
} finally {
  const running = children.filter(({ exitCode }) => exitCode === null);
  const ended = running.map((child) => once(child, "exit"));
  running.forEach((child) => child.kill());
  await Promise.all(ended);
}
