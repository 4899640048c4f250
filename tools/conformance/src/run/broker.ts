import { startServer } from "./server.ts";
import type { Suite } from "./suite.ts";

/** The port on which the suite waits for the code. */
const callbackPort = 39_177;

/**
 * Runs the scenarios for authorization servers against a broker. One of them prints the page that a
 * user has to visit: this user agrees to everything.
 */
export async function againstBroker(suite: Suite, folder: string): Promise<readonly string[]> {
  const running = await startServer({}, "broker");
  try {
    const { origin } = new URL(running.url);
    const registered = await fetch(`${origin}/register`, {
      method: "POST",
      body: JSON.stringify({
        client_name: "The suite",
        redirect_uris: [`http://127.0.0.1:${callbackPort}/callback`],
        token_endpoint_auth_method: "none",
      }),
    });
    const { client_id } = (await registered.json()) as { readonly client_id: string };
    const selection = ["--url", origin, "--client-id", client_id, "--resource", running.url];
    return await suite.authorization([...selection, "-p", String(callbackPort)], folder, agree);
  } finally {
    await running.stop();
  }
}

/** Clicks through the pages: the first provider, the first user, and "Allow". */
async function agree(start: string): Promise<void> {
  const cookies = new Map<string, string>();
  let [url, body]: [string, URLSearchParams | undefined] = [start, undefined];
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      headers: { cookie, accept: "text/html" },
      redirect: "manual",
      ...(body === undefined ? {} : { method: "POST", body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const page = await response.text();
    const button = /name="do" value="(allow|with:[^"]+)"/.exec(page)?.[1];
    const link = /<a class="button" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&#38;", "&");
    body = undefined;
    if (location !== null || (button === undefined && link !== undefined)) {
      url = new URL(location ?? link ?? "", url).href;
    } else if (button === undefined) {
      return;
    } else {
      const fields = [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)];
      body = new URLSearchParams([
        ...fields.map(([, name = "", value = ""]) => [name, value] as [string, string]),
        ["do", button],
      ]);
      url = new URL("/login", url).href;
    }
  }
}
