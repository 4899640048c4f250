import { directives, maxSources, sourcePattern, type ViewCsp } from "../wire/csp.ts";
import { permissionFeatures, type ViewPermission } from "../wire/permissions.ts";

/**
 * Returns the content security policy of a view, which allows the declared origins only. Sources
 * that are not an origin are left out, so a server cannot add directives or keywords.
 *
 * @example cspOf({ connectDomains: ["https://api.example.com"] });
 * @source SEP-1865
 */
export function cspOf(csp: ViewCsp = {}): string {
  return directives
    .map(([name, own, field]) => {
      const sources = field === undefined ? [] : sourcesIn(csp[field]);
      const all = own === "'none'" && sources.length > 0 ? sources : [own, ...sources];
      return `${name} ${all.join(" ")}`;
    })
    .join("; ");
}

/** Returns the sources that may become part of a policy, at most 100. */
export function sourcesIn(sources: unknown): string[] {
  return Array.isArray(sources)
    ? sources
        .filter((source): source is string => typeof source === "string" && sourcePattern.test(source))
        .slice(0, maxSources)
    : [];
}

/** Returns the attribute `allow` of a frame that has permissions: `camera; microphone`. */
export function allowOf(permissions: readonly ViewPermission[]): string {
  return permissions.map((permission) => permissionFeatures[permission]).join("; ");
}
