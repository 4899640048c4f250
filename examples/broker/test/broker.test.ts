import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { freePort } from "@tenon/example-authorization-server";
import { authorizationCode, createOAuth } from "@tenon/sdk/auth/client";
import { loopbackReceiver } from "@tenon/sdk/auth/node";
import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { expect, test } from "vitest";

/** Clicks through the pages as a user would: the first provider, the first user, and "Allow". */
async function click(start: string): Promise<void> {
  const cookies = new Map<string, string>();
  let [url, body]: [string, URLSearchParams | undefined] = [start, undefined];
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const init = body === undefined ? {} : { method: "POST", body };
    const response = await fetch(url, {
      ...init,
      headers: { cookie, accept: "text/html" },
      redirect: "manual",
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const page = await response.text();
    const button = /name="do" value="(allow|with:[^"]+)"/.exec(page)?.[1];
    const link = /<a class="button" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&#38;", "&");
    const fields = [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)];
    body = undefined;
    if (location !== null) {
      url = new URL(location, url).href;
    } else if (button !== undefined) {
      body = new URLSearchParams({
        ...Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value])),
        do: button,
      });
      url = new URL("/login", url).href;
    } else if (link === undefined) {
      return;
    } else {
      url = new URL(link, url).href;
    }
  }
}

test("the server of the page logs its users in, without an account anywhere", async () => {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const { GITHUB_ID: _, ...env } = process.env;
  const server = spawn(process.execPath, [join(import.meta.dirname, "../dist/server.js")], {
    env: { ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [line] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
    expect(line).toBe(`Listening at ${resource}\n`);
    const auth = createOAuth({
      server: resource,
      interactive: true,
      grant: authorizationCode({ receiver: loopbackReceiver(), open: ({ href }) => void click(href) }),
    });
    const client = new Client({ name: "test", version: "1.0.0" });
    const session = await client.connect(new StreamableClientTransport(resource, { auth }));
    const { content } = await session.callTool({ name: "who_am_i" });
    expect(content).toEqual([{ type: "text", text: "You are Alice Example." }]);
    await session.close();
  } finally {
    server.kill();
  }
});
