import { McpError, type CacheHints, type RequestContext } from "@tenon/mcp";

import { cspFields, maxSources, sourcePattern, type ViewCsp } from "../wire/csp.ts";
import { isPermission, permissionFeatures, type ViewPermission } from "../wire/permissions.ts";

/** A view: an HTML document that hosts show next to the result of a tool. */
export interface ViewDefinition {
  /** Begins with `ui://`. Unique in its server. */
  readonly uri: string;
  /** For code. Default: the URI without `ui://`. */
  readonly name?: string | undefined;
  /** For people to read. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** A complete HTML document. A function is called for each request that reads the view. */
  readonly html: string | ((context: RequestContext) => string | Promise<string>);
  /**
   * The origins that the view uses, such as `https://api.example.com` and `https://*.example.com`.
   * Hosts block all others. By default the view uses none.
   */
  readonly csp?: ViewCsp | undefined;
  /** The abilities of the browser that the view uses. Hosts may refuse them. By default
   * the view uses none. */
  readonly permissions?: readonly ViewPermission[] | undefined;
  /** The origin on which the view runs, in the form that the host documents. */
  readonly domain?: string | undefined;
  /** Caching hints of the document. By default the hints of the server apply. */
  readonly cache?: CacheHints | undefined;
  /** Whether the host draws a border and a background around the view. By default hosts decide. */
  readonly prefersBorder?: boolean | undefined;
}

/** The metadata of a view on the wire. */
export interface ViewMeta {
  readonly csp?: ViewCsp;
  readonly permissions?: Readonly<Partial<Record<ViewPermission, object>>>;
  readonly domain?: string;
  readonly prefersBorder?: boolean;
}

/**
 * Checks a view.
 *
 * @returns Its metadata.
 * @throws `McpError` `INVALID_DEFINITION`.
 */
export function readView({ uri, html, csp, permissions, domain, prefersBorder }: ViewDefinition): ViewMeta {
  const refuse = (problem: string): never => {
    const name = typeof uri === "string" ? uri.slice(0, 200) : typeof uri;
    throw new McpError("INVALID_DEFINITION", `The view ${JSON.stringify(name)} is not valid: ${problem}`);
  };
  if (typeof uri !== "string" || !/^ui:\/\/[^\s/]/.test(uri)) {
    refuse("its uri must begin with ui:// and a name.");
  }
  if (typeof html !== "string" && typeof html !== "function") {
    refuse(`html must be a string or a function; got ${typeof html}.`);
  }
  for (const [field, sources] of Object.entries(csp ?? {})) {
    if (!cspFields.includes(field as keyof ViewCsp)) {
      refuse(`csp has ${cspFields.join(", ")}; got ${JSON.stringify(field)}.`);
    }
    if (sources !== undefined && (!Array.isArray(sources) || sources.length > maxSources)) {
      refuse(`csp.${field} must be a list of at most ${maxSources} origins.`);
    }
    const bad = sources?.find((source: unknown) => typeof source !== "string" || !sourcePattern.test(source));
    if (bad !== undefined) {
      refuse(
        `csp.${field} must have origins such as https://api.example.com; got ${JSON.stringify(bad)?.slice(0, 200)}.`,
      );
    }
  }
  const unknown = permissions?.find((permission) => !isPermission(permission));
  if (unknown !== undefined) {
    const known = Object.keys(permissionFeatures).join(", ");
    refuse(`permissions are ${known}; got ${JSON.stringify(unknown)}.`);
  }
  return {
    ...(csp === undefined ? {} : { csp }),
    ...(permissions === undefined
      ? {}
      : { permissions: Object.fromEntries(permissions.map((permission) => [permission, {}])) }),
    ...(domain === undefined ? {} : { domain }),
    ...(prefersBorder === undefined ? {} : { prefersBorder }),
  };
}
