import type { Clock } from "@tenon/base";
import type { ServerCapabilities } from "@tenon/protocol";

import type { CapabilitySources, DeclaredCapabilities } from "../capabilities.ts";
import type { InnerServerRequest } from "./request.ts";

/**
 * Handles one request or notification.
 *
 * @param params - `{}` if there were none; otherwise as received, not validated.
 */
export type ServerMethod = (
  params: Readonly<Record<string, unknown>>,
  request: InnerServerRequest,
) => unknown;

/**
 * One feature of a server: its capabilities, and the requests and notifications that it handles.
 */
export interface ServerFeature {
  /**
   * The capabilities of the feature. Methods whose capability is not declared are rejected before
   * they reach the feature: see `ServerSession`.
   */
  readonly capabilities?: CapabilitySources<ServerCapabilities>;
  readonly methods?: Readonly<Record<string, ServerMethod>>;
  readonly notifications?: Readonly<Record<string, ServerMethod>>;
  /**
   * Loads the code for the items of the feature before a session needs it; `undefined` if it is
   * loaded.
   */
  load?(): Promise<unknown> | undefined;
}

/** The interface of a server for its features. */
export interface FeatureSetup {
  readonly declared: DeclaredCapabilities;
  /** Maximum number of items per page of a list. */
  readonly pageSize: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Notifies clients that a list has changed. */
  listChanged(method: string): void;
}

/** The methods and notifications of several features. No two features share one. */
export function serverMethods(features: readonly ServerFeature[]): Map<string, ServerMethod> {
  return new Map(
    features.flatMap(({ methods = {}, notifications = {} }) => [
      ...Object.entries(methods),
      ...Object.entries(notifications),
    ]),
  );
}

/** Loads the code that several features share; `undefined` if it is loaded. */
export function loadFeatures(features: readonly ServerFeature[]): Promise<unknown> | undefined {
  const loading = features.flatMap((feature) => feature.load?.() ?? []);
  return loading.length === 0 ? undefined : Promise.all(loading);
}
