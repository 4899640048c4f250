import { ErrorCode, RpcError, type Clock } from "@tenon/jsonrpc2";
import type { ServerCapabilities } from "@tenon/protocol";

import type { ServerRequest } from "../session/request.ts";
import type { DeclaredCapabilities } from "./capabilities.ts";

/** Answers one method, or takes one notification. @param params - `{}` if there were none; otherwise as received, unchecked. */
export type ServerMethod = (params: Readonly<Record<string, unknown>>, request: ServerRequest) => unknown;

/** One feature of a server: what it declares, the methods it answers and the notifications it takes. */
export interface ServerFeature {
  /** What the feature adds to the server's capabilities; called whenever they are told. */
  capabilities(): ServerCapabilities;
  readonly methods?: Readonly<Record<string, ServerMethod>>;
  readonly notifications?: Readonly<Record<string, ServerMethod>>;
  /** Loads the code for what the feature has to offer so far, before a session needs it; `undefined` if all of it is there. */
  load?(): Promise<unknown> | undefined;
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

/** The same methods, answered with −32601 while their capability is not offered. */
export function offeredOnly(
  offered: () => boolean,
  methods: Readonly<Record<string, ServerMethod>>,
): Readonly<Record<string, ServerMethod>> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]): [string, ServerMethod] => [
      name,
      (params, request) => {
        if (!offered()) {
          throw new RpcError(ErrorCode.MethodNotFound, `This server does not offer ${name}`);
        }
        return method(params, request);
      },
    ]),
  );
}

/** The capabilities of several features. */
export function serverCapabilities(features: readonly ServerFeature[]): ServerCapabilities {
  return Object.assign({}, ...features.map((feature) => feature.capabilities())) as ServerCapabilities;
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

/** Loads what several features need; `undefined` if it is there. */
export function loadFeatures(features: readonly ServerFeature[]): Promise<unknown> | undefined {
  const loading = features.flatMap((feature) => feature.load?.() ?? []);
  return loading.length === 0 ? undefined : Promise.all(loading);
}
