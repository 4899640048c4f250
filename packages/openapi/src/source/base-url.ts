import { isRecord } from "@tenon/base";

import { listOf, membersOf, textOf, type Members } from "../document/values.ts";
import { OpenApiError } from "../error.ts";

/** The URL of an API. */
export interface BaseUrl {
  /** Without a slash at its end, without query and fragment. */
  readonly url: URL;
  /** Whether the program named it, and not the document alone: then its address may be private. */
  readonly isTrusted: boolean;
}

/**
 * The URL of the API: the option, or the first server of the document.
 *
 * @param documentUrl - Relative servers are resolved against it.
 * @param options - `fetch`: sends the requests, whatever the address.
 * @throws `OpenApiError` `NO_SERVER`; `TypeError` for an option that is not a URL.
 */
export function baseUrlOf(
  document: Members,
  documentUrl: URL | undefined,
  options: {
    readonly server?: string | URL | undefined;
    readonly variables?: Readonly<Record<string, string>> | undefined;
    readonly fetch?: unknown;
  },
): BaseUrl {
  if (options.server !== undefined) {
    const text = String(options.server);
    if (!URL.canParse(text) || !/^https?:/i.test(text)) {
      throw new TypeError("The option server must be an http or https URL.");
    }
    return { url: cleaned(new URL(text)), isTrusted: true };
  }
  const found = serverUrl(serversOf(document)[0] ?? { url: "/" }, documentUrl, options.variables ?? {});
  if (typeof found === "string") {
    throw new OpenApiError(
      "NO_SERVER",
      `No usable server in the document (${found}). Set the URL by the option server.`,
    );
  }
  if (!found.isTrusted && options.fetch === undefined && privateHost.test(found.url.hostname)) {
    throw new OpenApiError(
      "NO_SERVER",
      `The document names a server with a private address (${found.url.host}), which a document may not name. If it is your API, set its URL by the option server.`,
    );
  }
  return found;
}

/**
 * The most frequent hosts that `publicFetch` refuses. It checks each connection; this only reports
 * a mistake when the document is read.
 */
const privateHost =
  /^(localhost$|.*\.localhost$|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[::1\]$|\[f[cd])/;

/** The URL of a server object, or the problem with it. */
export function serverUrl(
  server: unknown,
  documentUrl: URL | undefined,
  variables: Readonly<Record<string, string>>,
): BaseUrl | string {
  const template = textOf(membersOf(server)["url"]);
  if (template === undefined) {
    return "a server has no URL";
  }
  const described = membersOf(membersOf(server)["variables"]);
  const unknown: string[] = [];
  const text = template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = membersOf(described[name]);
    const own = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = own ?? variableText(variable["default"]);
    const allowed = listOf(variable["enum"]).map(variableText);
    if (value === undefined || (own !== undefined && allowed.length > 0 && !allowed.includes(own))) {
      unknown.push(name);
    }
    return value ?? "";
  });
  if (unknown.length > 0) {
    return `the variable ${unknown.join(", ")} of the server has no valid value: set it by the option variables`;
  }
  const base = documentUrl?.protocol === "file:" ? undefined : documentUrl?.href;
  if (!URL.canParse(text, base)) {
    return `${JSON.stringify(text.slice(0, 200))} is not an absolute URL`;
  }
  const url = new URL(text, base);
  if (!/^https?:$/.test(url.protocol)) {
    return `its scheme is ${url.protocol}`;
  }
  return { url: cleaned(url), isTrusted: base !== undefined && url.origin === documentUrl?.origin };
}

/** The text of a variable. In YAML, a port without quotes is a number. */
function variableText(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : textOf(value);
}

/** The server objects of a document. Swagger 2.0 has three properties instead. */
function serversOf(document: Members): readonly unknown[] {
  if (document["swagger"] === undefined) {
    return listOf(document["servers"]).filter(isRecord);
  }
  // Without its slash, it would become a part of the host.
  const basePath = `/${(textOf(document["basePath"]) ?? "").replace(/^\/+/, "")}`;
  const host = textOf(document["host"]);
  const schemes = listOf(document["schemes"]);
  const scheme = schemes.includes("https") || schemes.length === 0 ? "https" : String(schemes[0]);
  return [{ url: host === undefined ? basePath : `${scheme}://${host}${basePath}` }];
}

function cleaned(url: URL): URL {
  const clean = new URL(url);
  clean.username = "";
  clean.password = "";
  clean.search = "";
  clean.hash = "";
  clean.pathname = clean.pathname.replace(/\/+$/, "");
  return clean;
}
