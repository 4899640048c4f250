import { unlessAborted } from "@tenon/base";
import type { AuthChallenge } from "@tenon/http/client";

import { parseChallenges } from "../../shared/challenge.ts";
import type { AuthError } from "../../shared/error.ts";
import type { TargetFinder } from "../discover/target.ts";
import type { Logins } from "../login/logins.ts";
import type { Setting } from "../setting.ts";
import type { Renewal } from "../tokens/renewal.ts";
import type { TokenHolder, Tokens } from "../tokens/tokens.ts";
import { Contradictions } from "./contradictions.ts";
import { chooseChallenge, type Demands } from "./demand.ts";
import { needsUser, notGranted, requestedBefore, tokenRejected } from "./refusal-error.ts";
import { isSubset } from "./scopes.ts";
import type { StepUpBounds, StepUpCause } from "./step-up.ts";

/** Reacts to refused requests. */
export interface Refusals {
  /**
   * Returns whether the request may succeed now. @param sentId - The set of tokens that was sent.
   * @throws `AuthError`.
   */
  handle(challenge: AuthChallenge, sentId: string | undefined): Promise<boolean>;
  /**
   * Notes that the MCP server has accepted a request. @param sentId - The set of tokens that was
   * sent.
   */
  accepted(method: string, sentId: string | undefined): void;
  /** Notes that new tokens were issued. */
  issued(): void;
  /** Forgets that tokens were rejected. */
  reset(): void;
}

/** Parts of {@link createRefusals}. */
export interface RefusalsSetup {
  readonly setting: Setting;
  readonly signal: AbortSignal;
  readonly holder: TokenHolder;
  readonly renewal: Renewal;
  readonly logins: Logins;
  readonly bounds: StepUpBounds;
  readonly find: TargetFinder;
  readonly demands: Demands;
  readonly canProve: boolean;
  /** Whether a user takes part in the grant, and whether a request may start a login. */
  readonly hasUser: boolean;
  readonly mayLogIn: boolean;
  readonly onNeedsUser: (error: AuthError) => void;
  /**
   * Called when requests may succeed again that were refused although their tokens were fresh.
   */
  readonly onRetry: () => void;
}

/** Maximum number of refusals of one request after which it is sent again. */
const maxAttempts = 3;
/** A request that lacks nothing but a nonce is sent at most three times in all. */
const maxNonceAttempts = 2;
/**
 * How long an MCP server that rejects fresh tokens causes no more token requests, in
 * milliseconds.
 */
const rejectionMs = 60_000;

/**
 * The reactions of the server to the tokens of one kind of request: of calls, or of streams. Some
 * servers accept every token of a POST, and reject every token of a GET.
 */
interface Kind {
  /** How many sets of tokens were issued since the server accepted one. */
  unaccepted: number;
  /** Until when fresh tokens count as rejected. */
  rejectedUntil: number;
}

interface Recovery {
  readonly id: string | undefined;
  readonly kind: Kind;
  readonly done: Promise<boolean>;
}

/** Creates {@link Refusals}. */
export function createRefusals(parts: RefusalsSetup): Refusals {
  const { setting, holder, renewal, logins, bounds, demands, hasUser } = parts;
  const { clock } = setting;
  const calls: Kind = { unaccepted: 0, rejectedUntil: 0 };
  const streams: Kind = { unaccepted: 0, rejectedUntil: 0 };
  const kinds = [calls, streams];
  /** The set of tokens that a call was accepted with last. */
  let acceptedId: string | undefined;
  /**
   * A stream was refused with tokens that calls are accepted with, and no stream was accepted
   * since. Tokens are renewed once for that, because they may have expired in between.
   */
  let isContradicted = false;
  let contradictions: Contradictions | undefined;
  /** The call that was refused last. */
  let refusedCall: object | undefined;
  let retrying: unknown;
  let recovery: Recovery | undefined;

  /** Waits for the user, if a login is running or may be started. */
  async function user(cause?: StepUpCause): Promise<boolean> {
    const { required } = demands.current;
    const { scopes = [] } = cause ?? {};
    if (!logins.isRunning) {
      if (!parts.mayLogIn) {
        const { record } = holder.current ?? {};
        if (record !== undefined && scopes.length > 0 && isSubset(scopes, record.asked)) {
          // Another login would not help.
          throw requestedBefore(setting, record, scopes);
        }
        // The next login may be started by another command or process.
        await holder.want(scopes);
        const error = needsUser(setting, record, demands.current, scopes);
        parts.onNeedsUser(error);
        throw error;
      }
      // Scopes that were refused for another operation do not matter.
      bounds.check(scopes, holder.current?.record.scopes ?? []);
      bounds.count(cause);
    }
    await logins.run(required, undefined);
    return true;
  }

  /**
   * Ends the time in which fresh tokens count as rejected. Streams that wait for other
   * credentials try again with the present credentials.
   */
  function endRejection(): void {
    if (retrying !== undefined) {
      clock.clearTimeout(retrying);
      retrying = undefined;
      kinds.forEach((kind) => {
        kind.rejectedUntil = 0;
      });
      parts.onRetry();
    }
  }

  async function rejected(tokens: Tokens, kind: Kind): Promise<boolean> {
    const { issuer, resource } = tokens.record;
    if (kind === streams && isContradicted) {
      // Tokens are not the reason.
      return false;
    }
    if (kind.unaccepted < 2) {
      const target = await parts.find(demands.current.named, true, parts.signal);
      if (target.server.issuer !== issuer || target.resource.resource !== resource) {
        await holder.drop(tokens);
        // Not revoked: that may end the logins of the client at other MCP servers.
        return hasUser ? user() : (await renewal.renew(undefined)) !== undefined;
      }
      if ((await renewal.renew(tokens)) !== undefined) {
        return true;
      }
    }
    contradictions ??= new Contradictions();
    clock.clearTimeout(retrying);
    kind.rejectedUntil = clock.now() + rejectionMs;
    retrying = clock.setTimeout(endRejection, rejectionMs, false);
    throw tokenRejected(setting, holder.current?.record);
  }

  async function recover(id: string | undefined, kind: Kind): Promise<boolean> {
    // Another process may have logged in or out.
    const current = await holder.reload();
    if (holder.isNewer(id, holder.current)) {
      return true;
    }
    if (current !== undefined && id !== undefined && current.record.id === id) {
      if (kind.unaccepted > 0) {
        return rejected(current, kind);
      }
      isContradicted ||= kind === streams && acceptedId === id;
    }
    const renewed = current === undefined && hasUser ? undefined : await renewal.renew(current);
    if (renewed !== undefined) {
      return true;
    }
    // The authorization server may have moved.
    await parts.find(demands.current.named, true, parts.signal);
    // A login that was started for another request may have ended in the meantime.
    return holder.isNewer(id, holder.current) || user();
  }

  async function unauthorized(id: string | undefined, kind: Kind, operation: object): Promise<boolean> {
    if (holder.current !== undefined && id !== undefined && id !== holder.current.record.id) {
      return true;
    }
    const now = clock.now();
    if (now < kind.rejectedUntil) {
      throw tokenRejected(setting, holder.current?.record);
    }
    if (kind === calls) {
      refusedCall = operation;
      if (id !== undefined && id === acceptedId && contradictions?.has(operation, now) === true) {
        return false;
      }
    }
    if (recovery === undefined || recovery.id !== id || recovery.kind !== kind) {
      const own = { id, kind, done: recover(id, kind) };
      recovery = own;
      const end = (): void => {
        recovery = recovery === own ? undefined : recovery;
      };
      own.done.then(end, end);
    }
    return recovery.done;
  }

  async function stepUp(id: string | undefined, cause: StepUpCause): Promise<boolean> {
    const { scopes } = cause;
    const seen = holder.current;
    if (seen === undefined || (id !== undefined && id !== seen.record.id)) {
      return seen !== undefined;
    }
    demands.require(scopes);
    if (!hasUser) {
      // It may have been requested without these scopes.
      await renewal.settled();
    }
    // Another process may have logged in with further scopes.
    if ((await holder.reload())?.record.id !== seen.record.id) {
      return true;
    }
    bounds.check(scopes, seen.record.scopes, cause);
    if (hasUser) {
      await user(cause);
    } else {
      bounds.count(cause);
      await renewal.renew(seen);
    }
    const { record } = holder.current ?? {};
    if (!isSubset(scopes, record?.scopes ?? [])) {
      bounds.deny(scopes);
      throw notGranted(setting, record, scopes);
    }
    return true;
  }

  return {
    async handle(challenge, sentId) {
      const { status, url, attempt, operation, signal } = challenge;
      const chosen = chooseChallenge(setting, parseChallenges(challenge.challenge), parts.canProve);
      const error = chosen?.parameters.get("error");
      const hasNonce = setting.nonces.learn(url, challenge.header("dpop-nonce"));
      if (error === "use_dpop_nonce" && parts.canProve) {
        return hasNonce && attempt <= maxNonceAttempts;
      }
      const isStepUp = error === "insufficient_scope" || error === "insufficient_user_authentication";
      if (attempt > maxAttempts || (status === 403 && !isStepUp)) {
        return false;
      }
      const scopes = chosen === undefined ? [] : demands.add(chosen, isStepUp);
      if (isStepUp) {
        return unlessAborted(stepUp(sentId, { operation, scopes }), signal);
      }
      const kind = challenge.method === "POST" ? calls : streams;
      return unlessAborted(unauthorized(sentId, kind, operation), signal);
    },
    accepted(method, sentId) {
      if (sentId === undefined || sentId !== holder.current?.record.id) {
        // The response was to other tokens.
        return;
      }
      if (method === "POST") {
        acceptedId = sentId;
        calls.unaccepted = 0;
        if (!isContradicted) {
          streams.unaccepted = 0;
        }
        // A server that had refused calls has been repaired, for streams as well.
        if (calls.rejectedUntil > 0) {
          contradictions?.add(refusedCall ?? {}, clock.now());
          endRejection();
        }
      } else {
        isContradicted = false;
        streams.unaccepted = 0;
        endRejection();
      }
    },
    issued() {
      calls.unaccepted++;
      streams.unaccepted++;
    },
    reset() {
      acceptedId = undefined;
      isContradicted = false;
      contradictions = undefined;
      for (const kind of kinds) {
        kind.unaccepted = 0;
        // The timer keeps running, because it wakes the streams if no login follows.
        kind.rejectedUntil = 0;
      }
    },
  };
}
