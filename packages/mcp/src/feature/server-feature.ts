import type { Clock } from "@tenon/jsonrpc2";
import type { ServerCapabilities } from "@tenon/protocol";

import type { ServerRequest } from "../session/request.ts";
import type { CapabilitySources, DeclaredCapabilities } from "./capabilities.ts";

/** Answers one method, or takes one notification. @param params - `{}` if there were none; otherwise as received, unchecked. */
export type ServerMethod = (params: Readonly<Record<string, unknown>>, request: ServerRequest) => unknown;

/** One feature of a server: what it declares, the methods it answers and the notifications it takes. */
export interface ServerFeature {
  /** What the feature adds to the server's capabilities. Methods that need one which is not declared are not reached: see `ServerSession`. */
  readonly capabilities?: CapabilitySources<ServerCapabilities>;
  readonly methods?: Readonly<Record<string, ServerMethod>>;
  readonly notifications?: Readonly<Record<string, ServerMethod>>;
}

/** What a server gives its features to work with. */
export interface FeatureSetup {
  readonly declared: DeclaredCapabilities;
  /** Most items on a page of a list. */
  readonly pageSize: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Tells everybody concerned that a list has changed. */
  listChanged(method: string): void;
}

/** The methods and notifications of several features. No two features share one. */
export function serverMethods(features: readonly ServerFeature[]): ReadonlyMap<string, ServerMethod> {
  return new Map(
    features.flatMap(({ methods = {}, notifications = {} }) => [
      ...Object.entries(methods),
      ...Object.entries(notifications),
    ]),
  );
}
