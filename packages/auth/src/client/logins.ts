import { unlessAborted } from "@tenon/jsonrpc2/transport";

import type { Demand } from "./demand.ts";
import type { BegunLogin, Grant, GrantContext, GrantTools, IssuedGrant } from "./grant.ts";
import type { OAuthOptions } from "./options.ts";
import { chooseScopes, isSubset, union } from "./scopes.ts";
import { failure } from "./setting.ts";
import type { TargetFinder } from "./target.ts";
import type { TokenHolder } from "./tokens.ts";

/** The logins of one provider: at most one at a time. */
export interface Logins {
  /** Whether a login is running. */
  readonly isRunning: boolean;
  /** Logs the user in. A running login that requests these scopes is joined. @param signal - Ends the wait, and the login if it was started here. */
  run(scopes: readonly string[], signal: AbortSignal | undefined): Promise<void>;
  begin(scopes: readonly string[], signal: AbortSignal | undefined): Promise<BegunLogin>;
  finish(parameters: URLSearchParams): Promise<void>;
  /** Obtains tokens without a user. */
  obtain(): Promise<IssuedGrant>;
}

/** Parts of {@link createLogins}. */
export interface LoginParts {
  readonly tools: GrantTools;
  readonly options: OAuthOptions;
  readonly holder: TokenHolder;
  readonly find: TargetFinder;
  readonly demand: Demand;
  readonly onStart: () => void;
  readonly onEnd: (error?: unknown) => void;
}

/** Creates {@link Logins}. */
export function createLogins(parts: LoginParts): Logins {
  const { tools, options, holder, find, demand } = parts;
  const { setting } = tools;
  const { grant } = options;
  const running: {
    login?: { readonly scopes: readonly string[]; readonly done: Promise<void> } | undefined;
  } = {};

  async function contextFor(extra: readonly string[], signal: AbortSignal): Promise<GrantContext> {
    const { resource, server } = await find(demand.named, false, signal);
    const algorithms = server.dpop_signing_alg_values_supported;
    if (options.proof !== undefined && algorithms?.includes(options.proof.algorithm) === false) {
      throw failure(
        setting,
        "DOWNGRADE",
        `The authorization server does not support proofs with ${options.proof.algorithm}. Choose another algorithm, or remove proof.`,
        { issuer: server.issuer },
      );
    }
    const { current } = holder;
    const asked = current?.record.issuer === server.issuer ? current.record.asked : [];
    const scopes = chooseScopes(
      {
        configured: options.scopes,
        challenged: demand.challenged,
        supported: resource.scopes,
        required: union(asked, demand.required, extra),
        offlineAccess: grant.isInteractive && options.offlineAccess !== false,
      },
      server,
    );
    const needsConsent = server.speaksOpenId && scopes.includes("offline_access");
    const { acrValues, maxAge } = demand;
    const prompt = options.prompt ?? (needsConsent ? "consent" : undefined);
    return { ...tools, signal, resource, server, scopes, prompt, acrValues, maxAge };
  }

  async function logIn(extra: readonly string[], signal: AbortSignal): Promise<void> {
    const issued = await grant.obtain(await contextFor(extra, signal));
    await adopt(issued);
  }

  async function adopt(issued: IssuedGrant): Promise<void> {
    await holder.save(issued, undefined);
    demand.acrValues = undefined;
    demand.maxAge = undefined;
  }

  async function run(scopes: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    while (running.login !== undefined) {
      const { done } = running.login;
      if (isSubset(scopes, running.login.scopes)) {
        return unlessAborted(done, signal);
      }
      await unlessAborted(
        done.catch(() => {}),
        signal,
      );
    }
    const own = new AbortController();
    const stop = (): void => own.abort(signal?.reason ?? tools.signal.reason);
    for (const each of [signal, tools.signal]) {
      each?.throwIfAborted();
      each?.addEventListener("abort", stop, { once: true });
    }
    parts.onStart();
    const done = logIn(scopes, own.signal)
      .then(
        () => parts.onEnd(),
        (error: unknown) => {
          parts.onEnd(error);
          throw error;
        },
      )
      .finally(() => {
        running.login = undefined;
        for (const each of [signal, tools.signal]) {
          each?.removeEventListener("abort", stop);
        }
      });
    running.login = { scopes: union(scopes, demand.required), done };
    return unlessAborted(done, own.signal);
  }

  function half<N extends "begin" | "finish">(grant: Grant, name: N): NonNullable<Grant[N]> {
    const method = grant[name];
    if (method === undefined) {
      throw failure(
        setting,
        "RESPONSE_INVALID",
        `${name}() is for grants with a browser, such as authorizationCode().`,
      );
    }
    return method.bind(grant) as NonNullable<Grant[N]>;
  }

  return {
    get isRunning() {
      return running.login !== undefined;
    },
    run,
    async begin(scopes, signal) {
      const begin = half(grant, "begin");
      return begin(await contextFor(scopes, signal ?? tools.signal));
    },
    async finish(parameters) {
      await adopt(await half(grant, "finish")(tools, parameters));
      parts.onEnd();
    },
    obtain: async () => grant.obtain(await contextFor([], tools.signal)),
  };
}
