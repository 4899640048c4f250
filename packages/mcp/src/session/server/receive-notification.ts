import type { Scope } from "@tenon/jsonrpc2";

import type { InnerServerSession } from "../../request/server/session.ts";
import type { ServerDefinition } from "./definition.ts";
import { unknownClient, type Handshake } from "./open/handshake.ts";
import { LiveServerRequest } from "./request.ts";

/**
 * Runs middleware and handler for a notification; ignores one that the protocol version does not
 * have.
 *
 * @param handshake - That of the session. `undefined` for modern clients.
 */
export function receiveNotification(
  scope: Scope,
  definition: ServerDefinition,
  session: InnerServerSession | undefined,
  handshake: Handshake | undefined,
): unknown {
  const rules = handshake?.rules ?? definition.revisions.modern[0];
  if (rules === undefined) {
    return undefined;
  }
  const client = handshake?.client ?? unknownClient;
  const custom = definition.extensions.get(scope.method, rules.era);
  // A client declares an extension in initialize, or, if it is modern, with its requests only.
  const isKnown =
    custom === undefined
      ? rules.methods[scope.method]?.kind === "notification"
      : custom.definition.kind === "notification" &&
        (rules.era === "modern" ||
          definition.extensions.isActive(custom.definition.extension, client.capabilities));
  return isKnown
    ? definition.middleware.receive(new LiveServerRequest(definition, session, scope, rules, client))
    : undefined;
}
