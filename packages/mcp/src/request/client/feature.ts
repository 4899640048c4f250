import type { ClientCapabilities } from "@tenon/protocol";

import type { CapabilitySources } from "../capabilities.ts";
import type { InnerClientRequest } from "./request.ts";

/**
 * Handles one request or notification.
 *
 * @param params - `{}` if there were none; otherwise as received, not validated.
 */
export type ClientMethod = (
  params: Readonly<Record<string, unknown>>,
  request: InnerClientRequest,
) => unknown;

/**
 * One feature of a client: its capabilities, and the requests and notifications of servers that it
 * handles.
 */
export interface ClientFeature {
  /** The capabilities of the feature. */
  readonly capabilities?: CapabilitySources<ClientCapabilities>;
  /**
   * Received as a JSON-RPC request from a legacy server, or inside an `InputRequiredResult` of a
   * modern server.
   */
  readonly methods?: Readonly<Record<string, ClientMethod>>;
  readonly notifications?: Readonly<Record<string, ClientMethod>>;
}

/** The methods and notifications of several features. No two features share one. */
export function clientMethods(features: readonly ClientFeature[]): Map<string, ClientMethod> {
  return new Map(
    features.flatMap(({ methods = {}, notifications = {} }) => [
      ...Object.entries(methods),
      ...Object.entries(notifications),
    ]),
  );
}
