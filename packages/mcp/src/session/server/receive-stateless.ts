import type { Scope } from "@tenon/jsonrpc2";
import type { RequestFacts } from "@tenon/protocol";

import type { RevisionRules } from "../../revisions/rules.ts";
import type { ServerDefinition } from "./definition.ts";
import { beforeHandshake } from "./open/before-handshake.ts";
import { unknownClient } from "./open/handshake.ts";
import { initialize } from "./open/initialize.ts";
import { modernRequest } from "./open/modern-request.ts";
import { receiveNotification } from "./receive-notification.ts";
import { LiveServerRequest } from "./request.ts";
import { serve } from "./serve.ts";
import { isObserved, publishing } from "./unseen.ts";

/**
 * Handles a message that belongs to no session.
 *
 * @param facts - What the transport has read. Default: `_meta` alone is read.
 */
export function receiveStateless(
  scope: Scope,
  definition: ServerDefinition,
  facts: RequestFacts | undefined,
): unknown {
  if (scope.id === undefined) {
    return receiveNotification(scope, definition, undefined, undefined);
  }
  const modern = modernRequest(scope, definition, undefined, facts);
  if (modern !== undefined) {
    return serve(definition, modern);
  }
  if (scope.method === "initialize") {
    const open = (): unknown => initialize(scope, definition, false).result;
    return isObserved() ? publishing(definition, scope, undefined, open) : open();
  }
  const rules = legacyRules(definition, facts?.version);
  return rules === undefined
    ? beforeHandshake(scope, definition, undefined)
    : serve(definition, new LiveServerRequest(definition, undefined, scope, rules, unknownClient));
}

/**
 * The rules for a legacy request whose transport knows its protocol version; if that version is not
 * supported, the rules of the newest legacy version.
 */
function legacyRules(
  { revisions }: ServerDefinition,
  revision: string | undefined,
): RevisionRules | undefined {
  if (revision === undefined) {
    return undefined;
  }
  const rules = revisions.find(revision);
  return rules?.era === "legacy" ? rules : revisions.legacy[0];
}
