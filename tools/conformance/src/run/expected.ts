/** The revisions that have a frozen list of required scenarios. */
export type Revision = "2025-11-25" | "2026-07-28";

/** The scenarios for clients that are not about authorization. */
export const clientScenarios: { readonly [R in Revision | "2025-06-18"]: readonly string[] } = {
  "2025-06-18": ["initialize", "tools_call"],
  "2025-11-25": [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
  ],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
  ],
};

/** Required scenarios that must be there, so that nothing passes by being left out. */
export const requiredCounts: Readonly<Record<string, number>> = {
  "server 2025-11-25": 30,
  "server 2026-07-28": 37,
  "client 2025-06-18": 2,
  "client 2025-11-25": 4,
  "client 2026-07-28": 7,
};

const server: Readonly<Record<string, number>> = {
  "elicitation-sep1034-defaults": 6,
  "elicitation-sep1330-enums": 6,
  "server-initialize": 3,
  "server-stateless": 30,
  caching: 8,
  "sep-2164-resource-not-found": 4,
  "server-sse-multiple-streams": 1,
  "input-required-result-ignore-extra-params": 1,
  "input-required-result-multi-round": 4,
  "http-header-validation": 14,
  "http-custom-header-server-validation": 10,
  "server-sse-polling": 3,
  "json-schema-2020-12": 8,
};

const client: Readonly<Record<string, number>> = {
  initialize: 1,
  "elicitation-sep1034-client-defaults": 5,
  "sse-retry": 3,
  "request-metadata": 8,
  "sep-2322-client-request-state": 5,
  "http-standard-headers": 9,
  "http-custom-headers": 18,
  "http-invalid-tool-headers": 12,
  "json-schema-ref-no-deref": 1,
};

/** How many checks of a scenario must succeed at least: a scenario that never came to its point would pass otherwise. */
export function leastChecks(leg: "server" | "client", scenario: string, revision: string): number {
  if (revision < "2025-11-25") {
    return 1;
  }
  return (leg === "server" ? server : client)[scenario] ?? 2;
}
