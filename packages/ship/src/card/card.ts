import { checkOptionNames, isRecord, requireOptions } from "@tenon/base";
import type { Implementation } from "@tenon/protocol";

/** The media type of server cards. */
export const serverCardType = "application/mcp-server-card+json";

/** A server card: the facts that clients need before they connect. */
export interface ServerCard {
  readonly $schema: string;
  /** The name in registries, such as `com.example/notes`. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly title?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly object[];
  readonly repository?: { readonly url: string; readonly source: string };
  readonly remotes?: readonly {
    readonly type: string;
    readonly url: string;
    readonly supportedProtocolVersions?: readonly string[];
    readonly [property: string]: unknown;
  }[];
  readonly [property: string]: unknown;
}

/** Options of {@link cardOf}: the facts that a server does not know about itself. */
export interface CardOptions {
  /** The name in registries: a reverse domain, a slash, and a name. */
  readonly name: string;
  /** The URL of the endpoint for clients. */
  readonly url: string;
  /** One sentence of at most 100 characters. Default: the description of the server. */
  readonly description?: string | undefined;
  /** The address of the source code, and the name of its service, such as `github`. */
  readonly repository?: { readonly url: string; readonly source: string } | undefined;
  /** The protocol versions that the endpoint serves. By default they are left out. */
  readonly revisions?: readonly string[] | undefined;
}

/**
 * Makes the card of a server from the facts that its clients receive, such as `server.info`, so
 * that the card does not contradict them. A card lists no tools.
 *
 * @throws `TypeError` for a name, URL, title or description that no card may have.
 */
export function cardOf(info: Implementation, options: CardOptions): ServerCard {
  checkOptionNames("cardOf", options, "name url description repository:object revisions:array");
  requireOptions("cardOf", options, { name: "string", url: "string" });
  const { name, url, repository, revisions } = options;
  const { icons, title, version, websiteUrl } = info;
  const description = options.description ?? info.description ?? title ?? info.name;
  if (!/^[a-zA-Z0-9.-]{1,100}\/[a-zA-Z0-9._-]{1,99}$/.test(name)) {
    throw new TypeError(`cardOf: name must be like com.example/notes; got ${JSON.stringify(name)}.`);
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new TypeError(`cardOf: url must be an http or https URL; got ${JSON.stringify(url)}.`);
  }
  const { password, username } = new URL(url);
  if (username !== "" || password !== "") {
    throw new TypeError("cardOf: url must not contain a user or a password, because cards are public.");
  }
  for (const [property, text] of Object.entries({ description, title })) {
    if (text !== undefined && (text === "" || text.length > 100)) {
      throw new TypeError(`cardOf: ${property} must have 1 to 100 characters; got ${text.length}.`);
    }
  }
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name,
    version,
    description,
    ...(title === undefined ? {} : { title }),
    ...(websiteUrl === undefined ? {} : { websiteUrl }),
    ...(icons === undefined ? {} : { icons }),
    ...(repository === undefined ? {} : { repository }),
    remotes: [
      {
        type: "streamable-http",
        url,
        ...(revisions === undefined ? {} : { supportedProtocolVersions: revisions }),
      },
    ],
  };
}

/** The URL of the card of an endpoint, which the specification reserves. */
export function cardUrl(endpoint: string | URL): URL {
  const url = new URL(endpoint);
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/server-card")) {
    url.pathname = `${url.pathname.replace(/\/$/, "")}/server-card`;
  }
  return url;
}

/** Options of {@link serverCard}. */
export interface ServerCardOptions {
  /** How long clients keep the card, in seconds. Default: `3600`. */
  readonly maxAgeSeconds?: number | undefined;
}

/**
 * Returns a handler that serves a card at the path of its endpoint with `/server-card` at the end,
 * for any platform with web-standard requests: with its media type, an entity tag, CORS and the
 * time that clients keep it. It resolves with `undefined` for every other path.
 *
 * @example
 * const card = serverCard(cardOf(server.info, { name: "com.example/notes", url: "https://notes.example/mcp" }));
 * const response = await card(request); // undefined for the endpoint itself
 */
export function serverCard(
  card: ServerCard,
  options: ServerCardOptions = {},
): (request: Request) => Promise<Response | undefined> {
  checkOptionNames("serverCard", options, "maxAgeSeconds");
  const { maxAgeSeconds = 3600 } = options;
  if (!Number.isInteger(maxAgeSeconds) || maxAgeSeconds < 0) {
    throw new TypeError(
      `serverCard: maxAgeSeconds must be a whole number of at least 0; got ${maxAgeSeconds}.`,
    );
  }
  const [remote] = isRecord(card) ? (card.remotes ?? []) : [];
  if (remote === undefined) {
    throw new TypeError("serverCard needs a card with a remote, such as the result of cardOf.");
  }
  const { pathname } = cardUrl(remote.url);
  const text = JSON.stringify(card);
  let tag: Promise<string> | undefined;
  return async (request) => {
    if (new URL(request.url).pathname !== pathname) {
      return undefined;
    }
    const headers = {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": "GET",
      "Access-Control-Allow-Headers": "Content-Type, If-None-Match",
      "Access-Control-Expose-Headers": "ETag",
    };
    if (request.method === "OPTIONS") {
      return new Response(null, { status: 204, headers });
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response(null, { status: 405, headers: { ...headers, Allow: "GET, HEAD, OPTIONS" } });
    }
    tag ??= tagOf(text);
    const cached = { ...headers, ETag: await tag, "Cache-Control": `public, max-age=${maxAgeSeconds}` };
    if (matches(request.headers.get("If-None-Match"), await tag)) {
      return new Response(null, { status: 304, headers: cached });
    }
    const body = request.method === "HEAD" ? null : text;
    return new Response(body, { headers: { ...cached, "Content-Type": serverCardType } });
  };
}

/** Tags are compared weakly, because proxies that compress make them weak. */
function matches(header: string | null, tag: string): boolean {
  return (
    header !== null && header.split(",").some((each) => [tag, "*"].includes(each.trim().replace(/^W\//, "")))
  );
}

async function tagOf(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `"${Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}
