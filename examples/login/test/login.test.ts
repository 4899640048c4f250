import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { approve, freePort, startLoginServer } from "@tenon/example-authorization-server";
import { expect, test } from "vitest";

const dist = join(import.meta.dirname, "../dist");

/** A browser named `xdg-open` in a folder: its user logs in and consents to everything. */
async function installBrowser(folder: string): Promise<AsyncDisposable> {
  const http = createServer((request, response) => {
    void text(request)
      .then((url) => approve(new URL(url), "ada"))
      .then((page) => fetch(page))
      .then(() => response.end());
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const script = `#!${process.execPath}\nfetch("${address}", { method: "POST", body: process.argv[2] });\n`;
  await writeFile(join(folder, "xdg-open"), script, { mode: 0o755 });
  return {
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

test.skipIf(process.platform !== "linux")(
  "the shortest server of the guide refuses requests without a token, and knows the user of the shortest client",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "tenon-small-"));
    const port = await freePort();
    const resource = `http://127.0.0.1:${port}/mcp`;
    const login = await startLoginServer(resource);
    const args = [join(dist, "server.js"), login.issuer, String(port)];
    const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await using _ = await installBrowser(folder);
      const [line] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
      expect(line).toBe(`Listening at ${resource}\n`);
      expect((await fetch(resource)).status).toBe(401);
      const own = Object.entries(process.env).filter(([name]) => !name.startsWith("SSH_"));
      const path = `${folder}:${process.env["PATH"] ?? ""}`;
      const env = { ...Object.fromEntries(own), DISPLAY: ":0", XDG_DATA_HOME: folder, PATH: path };
      const client = spawn(process.execPath, [join(dist, "client.js"), resource], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      expect(await text(client.stdout)).toBe("[ { type: 'text', text: 'You are ada.' } ]\n");
    } finally {
      server.kill();
      await login[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    }
  },
);
