import type { ServerCapabilities } from "@tenon/protocol";

import { onlyFields } from "../../base/values.ts";
import type { ServerFeature } from "../../request/server/feature.ts";
import type { SpokenRevisions } from "../../revisions/index.ts";
import type { RevisionRules } from "../../revisions/rules.ts";

/**
 * Handles `ping` of legacy clients with `{}`, and `server/discover` of modern clients. The listed
 * protocol versions are exactly the accepted ones.
 *
 * @source …R-197
 */
export function livenessFeature(server: {
  readonly revisions: SpokenRevisions;
  readonly instructions: string | undefined;
  capabilities(rules: RevisionRules): ServerCapabilities;
}): ServerFeature {
  return {
    methods: {
      ping: () => ({}),
      "server/discover": (_, { rules }) => ({
        supportedVersions: server.revisions.modern.map(({ revision }) => revision),
        capabilities: onlyFields(server.capabilities(rules), rules.serverCapabilities),
        ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
      }),
    },
  };
}
