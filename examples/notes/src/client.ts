import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { StreamableClientTransport } from "@tenon/sdk/http";
import { CommandTransport } from "@tenon/sdk/stdio";

import { tour } from "./tour.ts";

const folder = await mkdtemp(join(tmpdir(), "notes-"));
const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
try {
  process.stdout.write("\n── stdio\n\n");
  const args = [program("server.js"), join(folder, "stdio.json")];
  await tour(new CommandTransport({ command: process.execPath, args }), process.stdout);

  process.stdout.write("── HTTP\n\n");
  const server = spawn(process.execPath, [program("http-server.js"), join(folder, "http.json")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [url] = (await once(createInterface(server.stdout), "line")) as [string];
    await tour(new StreamableClientTransport(url), process.stdout);
  } finally {
    server.kill();
  }
} finally {
  await rm(folder, { recursive: true });
}
