import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { createBroker, development, oauth2, type BrokerOptions, type Upstream } from "@tenon/broker";
import { createGuard } from "@tenon/sdk/auth/server";
import { createStreamableHandler } from "@tenon/sdk/http";
import { createNodeListener } from "@tenon/sdk/node";
import { Server } from "@tenon/sdk/server";

/** Long enough for a store on a machine that is busy with other tests. */
export const storeTimeoutMs = 60_000;

/** A provider at an origin, with the paths that its role needs. */
export function upstreamAt(origin: string): Upstream {
  return oauth2({
    id: "idp",
    name: "IdP",
    clientId: "notes",
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    userinfo: { url: `${origin}/me` },
    profile: { subject: "id" },
  });
}

/** A node of a server with a broker. */
export async function nodeAt(
  resource: string,
  options: Partial<BrokerOptions> = {},
): Promise<RequestListener> {
  const scopes = { "notes:read": "Read your notes" };
  const broker = await createBroker({ resource, scopes, upstream: development(), ...options });
  const server = new Server({ name: "notes", version: "1.0.0" });
  server.addTool({ name: "who" }, (_, { auth }) => auth?.subject ?? "nobody");
  const guard = createGuard({ resource, verify: broker.verify, scopes: ["notes:read"] });
  const handler = createStreamableHandler({ getServer: () => server, ...guard });
  return createNodeListener(handler, { path: "/mcp", routes: broker.routes });
}

/** A server whose users log in through a broker. */
export interface Notes extends AsyncDisposable {
  readonly url: URL;
}

/** Starts a server on a port that its listener is told. */
export async function startNotes(
  make: (resource: string) => Promise<RequestListener> = (resource) => nodeAt(resource),
): Promise<Notes> {
  let listener: RequestListener = (_, response) => response.writeHead(503).end();
  const http = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const resource = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  listener = await make(resource);
  return {
    url: new URL(resource),
    [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

/**
 * A user who clicks through the pages. Returns where the browser is sent in the end.
 *
 * @param isEnd - Whether the browser stops before a redirect.
 */
export async function click(
  start: URL,
  isEnd: (url: string) => boolean,
  cookies = new Map<string, string>(),
): Promise<URL> {
  let [url, body]: [URL, URLSearchParams | undefined] = [start, undefined];
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
    if (location !== null && isEnd(location)) {
      return new URL(location);
    }
    if (location !== null) {
      url = new URL(location, url);
    } else if (button === undefined) {
      url = new URL(link ?? "", url);
    } else {
      body = new URLSearchParams({
        ...Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value])),
        do: button,
      });
      url = new URL("/login", url);
    }
  }
  throw new Error(`The pages do not end: ${url.href}`);
}
