import { isRecord, type Clock } from "@tenon/base";
import { ErrorCode, isLocalError, isRpcError } from "@tenon/jsonrpc2/core";
import { McpErrorCode, type Era } from "@tenon/protocol";

import type { Lane } from "./lane.ts";
import { isRefusal } from "./refusals.ts";

/** Time in which a server must respond to a check, in milliseconds. */
const checkMs = 10_000;
/**
 * Maximum number of connections that one check uses. If the server refuses the users of all of
 * them, the next check uses other connections.
 */
const maxChecks = 8;
/** After a longer outage, in milliseconds, subscriptions may have ended. */
const resumeMs = 60_000;

/** The errors of a server of the other era, which does not know the checks of a session. */
const ofOtherEra: Readonly<Record<Era, ReadonlySet<number>>> = {
  modern: new Set([ErrorCode.MethodNotFound, McpErrorCode.UnsupportedProtocolVersion]),
  legacy: new Set([ErrorCode.InvalidParams, McpErrorCode.UnsupportedProtocolVersion]),
};

/** The dependencies of {@link Recovery}. */
export interface RecoveryOwner {
  readonly clock: Clock;
  readonly isBorrowed: boolean;
  /** Opens a connection. */
  start(): Promise<unknown>;
  /** Ends a connection with its last call. Until then it counts for nothing. */
  retire(lane: Lane): void;
}

/** Checks whether a server responds, and connects again if it does not. */
export class Recovery {
  readonly #owner: RecoveryOwner;
  /** When a check failed for the first time in a row. */
  #lostAt = Infinity;
  /** The connections whose user the server has refused, with the order of their refusals. */
  readonly #refused = new WeakMap<Lane, number>();
  #refusals = 0;

  constructor(owner: RecoveryOwner) {
    this.#owner = owner;
  }

  /**
   * Checks one connection after the other, for at most {@link maxChecks} connections and
   * {@link checkMs} before the last check.
   *
   * @param lanes - The open connections. The first that has not ended decides, unless the server
   *   refuses its user.
   * @returns Whether there is a new connection.
   * @throws The error of the check, or of the attempt to connect.
   */
  async run(lanes: readonly Lane[]): Promise<boolean> {
    try {
      let isUsable: boolean | undefined;
      let refusal: Error | undefined;
      const endsAt = this.#owner.clock.now() + checkMs;
      for (const lane of this.#inOrder(lanes)) {
        if (isUsable !== undefined || this.#owner.clock.now() > endsAt) {
          break;
        }
        try {
          isUsable = await this.#responds(lane);
          this.#refused.delete(lane);
        } catch (error) {
          if (!isRefusal(error)) {
            throw error;
          }
          this.#refused.set(lane, ++this.#refusals);
          refusal ??= error as Error;
        }
      }
      if (isUsable === undefined && refusal !== undefined) {
        throw refusal;
      }
      if (isUsable !== true) {
        await this.#owner.start();
      }
      this.#lostAt = Infinity;
      return isUsable !== true;
    } catch (error) {
      this.#lostAt = Math.min(this.#lostAt, this.#owner.clock.now());
      throw error;
    }
  }

  /** Whether the server has not refused the users of all connections in earlier checks. */
  hasUnchecked(lanes: readonly Lane[]): boolean {
    return lanes.some((lane) => !this.#refused.has(lane));
  }

  /** The connections to check, those of refused users last. */
  #inOrder(lanes: readonly Lane[]): readonly Lane[] {
    const orderOf = (lane: Lane): number => this.#refused.get(lane) ?? 0;
    return [...lanes].sort((one, other) => orderOf(one) - orderOf(other)).slice(0, maxChecks);
  }

  /**
   * Whether a connection can be kept; `undefined` if it has ended, which may concern its caller
   * alone. @throws If it must be kept, and the server is down.
   */
  async #responds(lane: Lane): Promise<boolean | undefined> {
    const { session } = lane;
    const { era } = session;
    const { isBorrowed } = this.#owner;
    const isReplaceable = era === "modern" && !isBorrowed;
    try {
      await session.ping({}, { timeoutMs: checkMs });
    } catch (error) {
      // A server that was restarted may be of the other era.
      const isOfOtherEra = isRpcError(error) && ofOtherEra[era].has(error.code) && !isBorrowed;
      if (isRpcError(error) && !(isOfOtherEra && era === "legacy")) {
        return !isOfOtherEra;
      }
      if (isOfOtherEra) {
        // Not certain: the calls that it may still run keep the connection.
        this.#owner.retire(lane);
        return undefined;
      }
      if (isRecord(error) && error["code"] === "SESSION_LOST" && !isBorrowed) {
        // The server opens no session of this kind any more.
        void lane.close();
        return undefined;
      }
      if (isLocalError(error, "CONNECTION_CLOSED")) {
        return undefined;
      }
      if (!isReplaceable || isRefusal(error)) {
        throw error;
      }
      return false;
    }
    return !isReplaceable || this.#owner.clock.now() - this.#lostAt <= resumeMs;
  }
}
