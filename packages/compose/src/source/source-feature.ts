import type { ServerRequest } from "@tenon/mcp/server";
import type { Era } from "@tenon/protocol";

import type { ReceivedParams } from "./source.ts";

/** A feature that not every server has: tasks or skills. */
export interface SourceFeature {
  /** Whether the server has it for clients of an era; `undefined` while it is not known. */
  offers(era: Era): boolean | undefined;
  /**
   * Handles a request of the feature.
   *
   * @param params - With the ids and the URIs of the source.
   * @param signal - Ends the request. Default: the signal of the request that is handled.
   * @returns The result in the form of the client's era, or a promise of it.
   * @throws `RpcError` `-32602` for a task or a skill that does not exist.
   */
  request(request: ServerRequest, method: string, params: ReceivedParams, signal?: AbortSignal): unknown;
}

/** Whether any of several sources has a feature; `undefined` while it is not known. */
export function offersOf(sources: readonly (SourceFeature | undefined)[], era: Era): boolean | undefined {
  const all = sources.map((each) => (each === undefined ? false : each.offers(era)));
  return all.includes(true) ? true : all.includes(undefined) ? undefined : false;
}

/** Whether a source may have a feature for any client. */
export function mayOffer(feature: SourceFeature | undefined): feature is SourceFeature {
  return offersOf([feature], "modern") !== false || offersOf([feature], "legacy") !== false;
}
