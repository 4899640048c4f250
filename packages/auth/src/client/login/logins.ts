import { anySignal, unlessAborted } from "@tenon/base";

import { isAuthError, type AuthError } from "../../shared/error.ts";
import type { TargetFinder } from "../discover/target.ts";
import type { BegunLogin, Grant, GrantContext, GrantTools, IssuedGrant } from "../grants/grant.ts";
import type { OAuthOptions } from "../options.ts";
import type { Demands } from "../scopes/demand.ts";
import { chooseScopes, firstFitting, isSubset, union } from "../scopes/scopes.ts";
import { ended, failure } from "../setting.ts";
import type { TokenHolder } from "../tokens/tokens.ts";

/** The logins of one provider: at most one at a time. */
export interface Logins {
  /** Whether a login is running. */
  readonly isRunning: boolean;
  /**
   * Logs the user in. If a login is running that requests these scopes, waits for that login.
   *
   * @param signal - Ends the wait, and the login if this call has started it.
   */
  run(scopes: readonly string[], signal: AbortSignal | undefined): Promise<void>;
  /** See `OAuthProvider.begin`. */
  begin(scopes: readonly string[], signal: AbortSignal | undefined): Promise<BegunLogin>;
  /** See `OAuthProvider.finish`. */
  finish(parameters: URLSearchParams): Promise<void>;
  /** Obtains tokens without a user, unless a logout has begun before they are requested. */
  obtain(logout: AbortSignal): Promise<IssuedGrant>;
  /** Resolves when no logout is running, which would delete the tokens of a login. */
  afterLogout(signal: AbortSignal | undefined): Promise<void>;
  /** Ends all logins. Resolves when they have ended, or after 5 seconds. */
  stop(reason: AuthError): Promise<void>;
  /** Ends all logins, and then does `work`. Logins that start in the meantime wait for its end. */
  logOut(work: () => Promise<void>): Promise<void>;
}

/** Parts of {@link createLogins}. */
export interface LoginsSetup {
  readonly tools: GrantTools;
  readonly options: OAuthOptions;
  readonly holder: TokenHolder;
  readonly find: TargetFinder;
  readonly demands: Demands;
  readonly onStart: () => void;
  readonly onEnd: (error?: unknown) => void;
}

interface Running {
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
  /** Rejects as soon as the signal aborts. */
  readonly done: Promise<void>;
}

/** Creates {@link Logins}. */
export function createLogins(parts: LoginsSetup): Logins {
  const { tools, options, holder, find, demands } = parts;
  const { setting } = tools;
  const { grant } = options;
  const running: { login?: Running | undefined } = {};
  const ends = new Map<AbortController, Promise<unknown>>();
  /** Resolves at the end of the last logout, which would delete the tokens of a login. */
  let loggingOut = Promise.resolve();

  /**
   * Starts work as soon as no logout is running. It ends with the signal of its caller, with the
   * provider, and with a logout, even if it ignores that.
   */
  function started<T>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): { readonly done: Promise<T>; readonly signal: AbortSignal } {
    const own = new AbortController();
    const all = anySignal([own.signal, tools.signal, ...(signal === undefined ? [] : [signal])]);
    all.throwIfAborted();
    const whole = afterLogout(all)
      .then(() => work(all))
      .finally(() => ends.delete(own));
    ends.set(own, whole);
    return { done: unlessAborted(whole, all), signal: all };
  }

  async function contextFor(extra: readonly string[], signal: AbortSignal): Promise<GrantContext> {
    const { resource, server } = await find(demands.current.named, false, signal);
    // Read now: another request may have added to it during the discovery.
    const demand = demands.current;
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
    const {
      asked: requested = [],
      wanted = [],
      scopes: granted = [],
    } = current?.record.issuer === server.issuer ? current.record : {};
    const asked = union(requested, wanted);
    const scopes = chooseScopes(
      {
        configured: options.scopes,
        challenged: demand.challenged,
        supported: resource.scopes,
        // The scopes of a long life with one server may be too many: those that were granted
        // count first.
        required: union(
          firstFitting(union(asked, demand.required), union(granted, demand.required), demand.required),
          extra,
        ),
        offlineAccess: grant.isInteractive && options.offlineAccess !== false,
      },
      server,
    );
    const needsConsent = server.speaksOpenId && scopes.includes("offline_access");
    const { acrValues, maxAge } = demand;
    const prompt = options.prompt ?? (needsConsent ? "consent" : undefined);
    return { ...tools, signal, resource, server, scopes, prompt, acrValues, maxAge };
  }

  /** Obtains tokens, and notes whether the authorization server accepted the client. */
  async function issued(obtain: () => Promise<IssuedGrant>): Promise<IssuedGrant> {
    try {
      const tokens = await obtain();
      // The tokens count; a store that fails here leaves the suspicion.
      await tools.registrar.accept(tokens.client).catch(() => {});
      return tokens;
    } catch (error) {
      if (isAuthError(error, "CLIENT_REJECTED")) {
        tools.registrar.rejected();
      }
      throw error;
    }
  }

  /** Saves the tokens of a login, unless the user logs out or cancels it in the meantime. */
  async function adopt(signal: AbortSignal, obtain: () => Promise<IssuedGrant>): Promise<void> {
    const login = { signal, isReplacing: (await holder.reload()) !== undefined };
    if ((await holder.save(await issued(obtain), undefined, login)) === undefined) {
      signal.throwIfAborted();
      throw loggedOut();
    }
    demands.authenticated();
  }

  const afterLogout = (signal: AbortSignal | undefined): Promise<void> => unlessAborted(loggingOut, signal);

  const loggedOut = (): AuthError => failure(setting, "NEEDS_USER", "The user logged out. Call login().");

  /** The login that runs, unless it was ended: it may ignore that. */
  const active = (): Running | undefined =>
    running.login?.signal.aborted === false ? running.login : undefined;

  async function run(scopes: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    for (let other = active(); other !== undefined; other = active()) {
      const { done } = other;
      if (isSubset(scopes, other.scopes)) {
        return unlessAborted(done, signal);
      }
      await unlessAborted(
        done.catch(() => {}),
        signal,
      );
    }
    const { done: work, signal: all } = started(signal, async (own) => {
      parts.onStart();
      await adopt(own, async () => grant.obtain(await contextFor(scopes, own)));
    });
    const done = work.then(
      () => end(),
      (error: unknown) => {
        end(error);
        throw error;
      },
    );
    const login = { scopes: union(scopes, demands.current.required), signal: all, done };
    running.login = login;
    /** Ends the login, unless another login runs by now. */
    function end(error?: unknown): void {
      if (running.login === login) {
        running.login = undefined;
        parts.onEnd(error);
      }
    }
    return done;
  }

  async function stop(reason: AuthError): Promise<void> {
    const stopping = [...ends];
    stopping.forEach(([own]) => own.abort(reason));
    await ended(
      setting,
      stopping.map(([, done]) => done),
    );
    // A login that ignores its signal is waited for once.
    stopping.forEach(([own]) => ends.delete(own));
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
      return active() !== undefined;
    },
    run,
    async begin(scopes, signal) {
      const begin = half(grant, "begin");
      return started(signal, async (own) => begin(await contextFor(scopes, own))).done;
    },
    async finish(parameters) {
      const finish = half(grant, "finish");
      await started(undefined, (own) => adopt(own, () => finish({ ...tools, signal: own }, parameters))).done;
      parts.onEnd();
    },
    stop,
    logOut(work) {
      const done = Promise.all([loggingOut, stop(loggedOut())]).then(work);
      loggingOut = done.catch(() => {});
      return done;
    },
    obtain: (logout) =>
      issued(async () => grant.obtain(await contextFor([], anySignal([tools.signal, logout])))),
    afterLogout,
  };
}
