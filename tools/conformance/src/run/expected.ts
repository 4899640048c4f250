/** The revisions that have a frozen list of required scenarios. */
export type Revision = "2025-11-25" | "2026-07-28";

const tokenEndpointAuth = [
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
];

const authorization = [
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/pre-registration",
  ...tokenEndpointAuth,
];

/** Extensions of authorization, which no list of required scenarios has. */
const authorizationExtensions = [
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
  "auth/enterprise-managed-authorization",
  "auth/dpop",
  "auth/dpop-nonce",
  "auth/wif-jwt-bearer",
];

const skills = [
  "sep-2640-client-no-prefetch",
  "sep-2640-client-verify-digest",
  "sep-2640-client-verify-size",
  "sep-2640-client-verify-frontmatter",
];

/** The scenarios for clients. */
export const clientScenarios: {
  readonly [R in Revision | "2025-03-26" | "2025-06-18"]: readonly string[];
} = {
  "2025-03-26": ["auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"],
  "2025-06-18": ["initialize", "tools_call", ...tokenEndpointAuth],
  "2025-11-25": [
    ...authorization,
    ...authorizationExtensions,
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
  ],
  "2026-07-28": [
    ...authorization,
    ...authorizationExtensions,
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
    ...skills,
  ],
};

/** Required scenarios that must be there, so that nothing passes by being left out. */
export const requiredCounts: Readonly<Record<string, number>> = {
  "server 2025-11-25": 30,
  "server 2026-07-28": 47,
  "client 2025-03-26": 2,
  "client 2025-06-18": 5,
  "client 2025-11-25": 18,
  "client 2026-07-28": 36,
  broker: 2,
  "server extensions": 3,
  "server extensions, tasks in a file": 10,
};

const server: Readonly<Record<string, number>> = {
  "authorization-server-authorization-code-grant": 1,
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
  "sep-2640-skills-enumeration": 32,
  "sep-2640-skills-manifest": 6,
  "sep-2640-skills-directory": 7,
  "tasks-capability-negotiation": 5,
  "tasks-dispatch-and-envelope": 9,
  "tasks-lifecycle": 9,
  "tasks-mrtr-composition": 2,
  "tasks-mrtr-input": 4,
  "tasks-request-headers": 5,
  "tasks-request-state-removal": 3,
  "tasks-required-task-error": 3,
  // The suite skips it itself.
  "tasks-status-notifications": 0,
  "tasks-wire-fields": 4,
};

const client: Readonly<Record<string, number>> = {
  initialize: 1,
  ...Object.fromEntries(skills.map((scenario) => [scenario, 1])),
  "elicitation-sep1034-client-defaults": 5,
  "sse-retry": 3,
  "request-metadata": 8,
  "sep-2322-client-request-state": 5,
  "http-standard-headers": 9,
  "http-custom-headers": 18,
  "http-invalid-tool-headers": 12,
  "json-schema-ref-no-deref": 1,
  "auth/metadata-default": 18,
  "auth/metadata-var1": 18,
  "auth/metadata-var2": 18,
  "auth/metadata-var3": 18,
  "auth/basic-cimd": 12,
  "auth/scope-from-www-authenticate": 14,
  "auth/scope-from-scopes-supported": 14,
  "auth/scope-omitted-when-undefined": 14,
  "auth/scope-step-up": 23,
  "auth/scope-retry-limit": 22,
  "auth/pre-registration": 12,
  "auth/token-endpoint-auth-basic": 19,
  "auth/token-endpoint-auth-post": 19,
  "auth/token-endpoint-auth-none": 19,
  "auth/client-credentials-jwt": 7,
  "auth/client-credentials-basic": 7,
  "auth/enterprise-managed-authorization": 8,
  "auth/dpop": 13,
  "auth/dpop-nonce": 15,
  "auth/wif-jwt-bearer": 7,
  "auth/resource-mismatch": 2,
  "auth/offline-access-scope": 12,
  "auth/offline-access-not-supported": 14,
  "auth/authorization-server-migration": 27,
  "auth/iss-supported": 14,
  "auth/iss-not-advertised": 14,
  "auth/iss-supported-missing": 8,
  "auth/iss-wrong-issuer": 8,
  "auth/iss-unexpected": 8,
  "auth/iss-normalized": 8,
  "auth/metadata-issuer-mismatch": 3,
};

/**
 * Where the counts of 2025-11-25 differ: a client sends another handshake, and each request with a
 * token is a check.
 */
const legacyClient: typeof client = {
  "auth/metadata-default": 19,
  "auth/metadata-var1": 19,
  "auth/metadata-var2": 19,
  "auth/metadata-var3": 19,
  "auth/basic-cimd": 14,
  "auth/scope-from-www-authenticate": 15,
  "auth/scope-from-scopes-supported": 15,
  "auth/scope-omitted-when-undefined": 15,
  "auth/scope-step-up": 21,
  "auth/pre-registration": 14,
  "auth/token-endpoint-auth-basic": 20,
  "auth/token-endpoint-auth-post": 20,
  "auth/token-endpoint-auth-none": 20,
  "auth/client-credentials-jwt": 9,
  "auth/client-credentials-basic": 9,
  "auth/enterprise-managed-authorization": 10,
  "auth/dpop": 12,
  "auth/dpop-nonce": 14,
  "auth/wif-jwt-bearer": 9,
};

/**
 * How many checks of a scenario must succeed at least: a scenario that never came to its point
 * would pass otherwise.
 */
export function leastChecks(leg: "server" | "client", scenario: string, revision: string): number {
  if (revision < "2025-11-25") {
    return 1;
  }
  const own = leg === "client" && revision === "2025-11-25" ? legacyClient[scenario] : undefined;
  return own ?? (leg === "server" ? server : client)[scenario] ?? 2;
}
