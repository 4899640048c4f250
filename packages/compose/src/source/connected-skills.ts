import type { CallRelay, Lanes } from "@tenon/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import { defineMethod, type ClientSession, type MethodDefinition } from "@tenon/mcp/client";

import type { SourceFeature } from "./source-feature.ts";

/** The name of the extension for skills. */
export const skillsExtension = "io.modelcontextprotocol/skills";

/** The methods of skills, and the property of a result with the items of a page. */
export const skillMethods: ReadonlyMap<
  string,
  { readonly definition: MethodDefinition; readonly paged: string | undefined }
> = new Map(
  (
    [
      ["skills/list", "skills"],
      ["skills/get", undefined],
      ["resources/directory/read", "resources"],
    ] as const
  ).map(([method, paged]) => [
    method,
    {
      definition: defineMethod({ method, cacheable: true, ...(paged === undefined ? {} : { paged }) }),
      paged,
    },
  ]),
);

/** The dependencies of the skills of a server. */
export interface ConnectedSkillsSetup {
  readonly relay: CallRelay;
  readonly lanes: Lanes;
  /** The session that tells what the server is. It may have ended. */
  readonly latest: () => ClientSession | undefined;
}

/** The skills of a server that is connected to. */
export function connectedSkills({ relay, lanes, latest }: ConnectedSkillsSetup): SourceFeature {
  const hasSkills = ({ serverCapabilities }: ClientSession): boolean =>
    Object.hasOwn(serverCapabilities.extensions ?? {}, skillsExtension);
  return {
    offers() {
      const session = latest();
      return session === undefined ? undefined : hasSkills(session);
    },
    request(request, method, params, signal = request.signal) {
      return lanes.use(relay.callerOf(request), signal, async ({ session }) => {
        const known = skillMethods.get(method);
        if (known === undefined || !hasSkills(session)) {
          throw new RpcError(ErrorCode.InvalidParams, "Cannot handle the request: the server has no skills.");
        }
        const { _meta, ...own } = params;
        return session.request(known.definition, own, { signal });
      });
    },
  };
}
