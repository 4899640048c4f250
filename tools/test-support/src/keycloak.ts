import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

import { listenOnFreePort } from "./http.ts";

/**
 * Starts Keycloak with a realm that is named `notes`, its database in memory.
 *
 * @param home - The folder of an unpacked distribution. Java must be installed.
 * @param realm - The realm, as JSON.
 */
export async function startKeycloak(
  home: string,
  realm: string,
): Promise<AsyncDisposable & { readonly issuer: string }> {
  await mkdir(join(home, "data/import"), { recursive: true });
  await writeFile(join(home, "data/import/notes.json"), realm);
  const reserved = createServer();
  const port = await listenOnFreePort(reserved);
  await new Promise((resolve) => reserved.close(resolve));
  const options = ["--http-host=127.0.0.1", `--http-port=${port}`, "--db=dev-mem", "--import-realm"];
  const child = spawn(join(home, "bin/kc.sh"), ["start-dev", ...options], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-5000);
      if (printed.includes(`Listening on: http://127.0.0.1:${port}`)) {
        resolve();
      }
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`Keycloak did not start: ${printed}`)));
  });
  return {
    issuer: `http://127.0.0.1:${port}/realms/notes`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      // The script has started Java as a child of its own.
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await ended;
    },
  };
}

/** Logs in by the form of Keycloak, as a person would. Returns where the browser is sent then. */
export async function submitLogin(authorizationUrl: URL, username: string, password: string): Promise<URL> {
  const cookies: string[] = [];
  async function visit(url: URL, body?: URLSearchParams): Promise<Response> {
    const method = body === undefined ? {} : { method: "POST", body };
    const headers = { cookie: cookies.join("; ") };
    const response = await fetch(url, { ...method, redirect: "manual", headers });
    cookies.push(...response.headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? ""));
    const location = response.headers.get("location");
    return location === null || new URL(location, url).origin !== authorizationUrl.origin
      ? response
      : visit(new URL(location, url));
  }
  const page = await (await visit(authorizationUrl)).text();
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const answer = await visit(new URL(action), new URLSearchParams({ username, password }));
  return new URL(answer.headers.get("location") ?? "");
}
