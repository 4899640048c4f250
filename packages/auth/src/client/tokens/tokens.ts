import type { HeadersLike } from "@tenon/http/client";

import type { AuthError } from "../../shared/error.ts";
import type { IssuedGrant } from "../grants/grant.ts";
import type { ProofKeys } from "../proof/proof-keys.ts";
import type { ProofKey } from "../proof/proof.ts";
import { firstFitting, union } from "../scopes/scopes.ts";
import { warn, type Setting } from "../setting.ts";
import { deleteRecord, maxWrites, randomText, readRecord, writeRecord, type TokenRecord } from "./records.ts";

/** A set of tokens that this process uses. */
export interface Tokens {
  readonly record: TokenRecord;
  /** The generation of the record in the store; `undefined` if it could not be written. */
  readonly generation: number | "absent";
  readonly isUnsaved: boolean;
  /** The headers of a request, for tokens without proofs. */
  readonly headers: HeadersLike;
  readonly proofKey: ProofKey | undefined;
  /** When to refresh, and when the access token expires, on the monotonic clock. */
  readonly refreshAt: number;
  readonly expiresAt: number;
}

/** The login whose tokens are saved. */
export interface SavedLogin {
  /**
   * Whether there was a set of tokens when the login began. Default: whether it replaces a set.
   */
  readonly isReplacing?: boolean;
  /** Aborts when the login is cancelled: its tokens are then not saved. */
  readonly signal: AbortSignal;
}

/** The set of tokens that a provider no longer uses, because the user logs out. */
export interface LeftTokens {
  /** The key of the set in the store, which may have a newer set. */
  readonly key: string;
  readonly record: TokenRecord | undefined;
}

/** Holds the current set of tokens, and keeps it in agreement with the store. */
export interface TokenHolder {
  readonly current: Tokens | undefined;
  /**
   * Whether a set of tokens can replace the set with the identifier `seen`, which has expired or
   * was refused.
   */
  isNewer(seen: string | undefined, tokens: Tokens | undefined): tokens is Tokens;
  /** Reads the store, and adopts the set of tokens there if it is another one. */
  reload(): Promise<Tokens | undefined>;
  /**
   * Makes issued tokens the current set and writes them. If the store fails, they stay in memory.
   *
   * @param previous - The set that was refreshed: the store is changed only if it still has this
   *   set. `undefined` after a login, which replaces any set.
   * @returns The tokens to use. `undefined` if the user has since logged out or cancelled: the
   *   issued tokens are revoked.
   * @throws The reason why the issued tokens are refused. They are revoked.
   */
  save(issued: IssuedGrant, previous: Tokens | undefined, login?: SavedLogin): Promise<Tokens | undefined>;
  /**
   * Notes in the store since when a refresh token is being presented. @returns The set with its
   * new generation, or `"conflict"`.
   */
  mark(tokens: Tokens, presentedAt: number | undefined): Promise<Tokens | "conflict">;
  /**
   * Notes in the store which scopes a later login should request, whichever process starts it.
   * Does nothing if the store fails.
   */
  want(scopes: readonly string[]): Promise<void>;
  /**
   * Forgets a set of tokens whose refresh token was rejected, here and in the store, unless the
   * store has another set by now.
   */
  drop(tokens: Tokens): Promise<void>;
  /**
   * Stops using the current set, and does not adopt its login from the store again. Tokens that are
   * being written are revoked. @returns The set, and the key that it has in the store.
   */
  leave(): Promise<LeftTokens>;
}

/**
 * The access token is refreshed this long before it expires at most, in milliseconds, and in the
 * last tenth of its life at the earliest.
 */
const maxEarlyMs = 60_000;

/** Parts of {@link createTokenHolder}. */
export interface TokenHolderSetup {
  readonly setting: Setting;
  /** Returns the key of the tokens in the store. */
  readonly key: () => Promise<string>;
  readonly keys: ProofKeys;
  /** Called when the current set has changed. */
  readonly onChange: () => void;
  /** Called before `onChange` if the set was issued to this process. */
  readonly onIssued: () => void;
  /** Called when the store failed. */
  readonly onUnsaved: (error: AuthError) => void;
  /**
   * Called with issued tokens that are not used: they were refused, the user has logged out or
   * cancelled the login, or another process has logged in.
   */
  readonly onOrphan: (record: TokenRecord) => void;
}

/** Creates a {@link TokenHolder}. */
export function createTokenHolder(setup: TokenHolderSetup): TokenHolder {
  const { setting, key, keys, onChange, onIssued, onUnsaved, onOrphan } = setup;
  let current: Tokens | undefined;
  /** The login that was left last. A store that failed may have it still. */
  let left: string | undefined;
  let departures = 0;

  function hold(record: TokenRecord, generation: number | "absent", proofKey: ProofKey | undefined): Tokens {
    const { receivedAt, expiresAt = Infinity } = record;
    const now = setting.clock.now();
    const life = expiresAt - receivedAt;
    // The date may have been set back since the record was written; the life of a token is no
    // longer for that.
    const left = Math.min(life, expiresAt - setting.date());
    const early = Math.min(maxEarlyMs, life / 10);
    return {
      record,
      generation,
      isUnsaved: generation === "absent",
      headers: { authorization: `${record.isBound ? "DPoP" : "Bearer"} ${record.accessToken}` },
      proofKey,
      refreshAt: now + left - early,
      expiresAt: now + left,
    };
  }

  function use(tokens: Tokens | undefined): void {
    const isOther = tokens?.record.id !== current?.record.id;
    current = tokens;
    if (isOther) {
      onChange();
    }
  }

  /**
   * Writes a set of tokens, unless the user has logged out or, if it is a successor, another set
   * was written since.
   */
  async function write(
    at: string,
    record: TokenRecord,
    previous: Tokens | undefined,
  ): Promise<number | "conflict" | "deleted"> {
    let next = record;
    let ifGeneration = previous?.generation;
    for (let tries = 1; ; tries++) {
      const written =
        ifGeneration === undefined ? "conflict" : await writeRecord(setting, at, next, { ifGeneration });
      if (written !== "conflict") {
        return written;
      }
      if (tries === maxWrites) {
        // A login wins, a refresh does not.
        return previous === undefined ? writeRecord(setting, at, next) : written;
      }
      const { value, generation } = await readRecord(setting, "tokens", at);
      if (generation === "absent") {
        return "deleted";
      }
      const isOther = value !== undefined && value.id !== previous?.record.id && value.isRejected !== true;
      if (previous !== undefined && isOther) {
        return written;
      }
      // A process that took over the lock presents the same refresh token. It has noted that, and
      // has no tokens yet. Or a process has noted which scopes it requires: they are kept.
      ifGeneration = generation;
      next = value?.issuer === record.issuer ? { ...record, wanted: value.wanted } : record;
    }
  }

  /** Changes the record of a set of tokens in the store. */
  async function amend(
    tokens: Tokens,
    changes: Pick<Partial<TokenRecord>, "presentedAt" | "wanted">,
  ): Promise<Tokens | "conflict"> {
    const record = { ...tokens.record, ...changes };
    if (tokens.isUnsaved) {
      return tokens;
    }
    const { generation: ifGeneration } = tokens;
    const generation = await writeRecord(setting, await key(), record, { ifGeneration });
    if (generation === "conflict") {
      return generation;
    }
    const amended = { ...tokens, record, generation };
    if (current?.record.id === record.id) {
      current = amended;
    }
    return amended;
  }

  const holder: TokenHolder = {
    get current() {
      return current;
    },
    isNewer: (seen, tokens): tokens is Tokens =>
      tokens !== undefined && tokens.record.id !== seen && tokens.expiresAt > setting.clock.now(),
    async reload() {
      const before = current?.record.id;
      const begun = departures;
      const { value, generation } = await readRecord(setting, "tokens", await key());
      const proofKey = value && (await keys.restore(value.thumbprint, value.proofKey));
      if (current?.record.id !== before || departures !== begun) {
        // A login, a refresh or a logout has ended in the meantime. The record that was read may be
        // older.
        return current;
      }
      if (value !== undefined && value.id === current?.record.id && value.isRejected !== true) {
        current = { ...current, record: value, generation, isUnsaved: false };
        return current;
      }
      // The store may still have the set whose refresh token has been used, if its successor
      // could not be written.
      if (current?.isUnsaved === true && (value?.count ?? 0) <= current.record.count) {
        current = { ...current, generation };
        return current;
      }
      const isUsable =
        value !== undefined &&
        value.isRejected !== true &&
        value.login !== left &&
        (!value.isBound || proofKey !== undefined);
      use(isUsable ? hold(value, generation, proofKey) : undefined);
      return current;
    },
    async save(issued, previous, login) {
      const { tokens, client, proofKey } = issued;
      const begun = departures;
      const at = await key();
      const before = previous?.record;
      const receivedAt = setting.date();
      const record: TokenRecord = {
        id: randomText(12),
        login: before?.login ?? randomText(12),
        count: ((before ?? current?.record)?.count ?? 0) + 1,
        issuer: issued.issuer,
        resource: issued.resource,
        clientId: client.id,
        registration: client.registration,
        tokenEndpoint: issued.tokenEndpoint,
        methods: issued.methods,
        revocationEndpoint: issued.revocationEndpoint,
        accessToken: tokens.accessToken,
        isBound: tokens.isBound,
        refreshToken: tokens.refreshToken ?? before?.refreshToken,
        scopes: tokens.scopes,
        asked: union(before?.asked ?? [], issued.asked),
        wanted: before?.wanted,
        receivedAt,
        expiresAt: tokens.lifeMs === undefined ? undefined : receivedAt + tokens.lifeMs,
        proofKey: proofKey && (await keys.store(proofKey)),
        thumbprint: proofKey?.thumbprint,
      };
      let generation: number | "absent" = "absent";
      let failed: AuthError | undefined;
      if (tokens.refused !== undefined || login?.signal.aborted === true) {
        onOrphan(record);
        if (tokens.refused !== undefined) {
          throw tokens.refused;
        }
        return undefined;
      }
      try {
        const written =
          (login?.isReplacing ?? previous !== undefined)
            ? await write(at, record, previous)
            : await writeRecord(setting, at, record);
        // Another process has logged in in the meantime: its set is newer than the one that was
        // refreshed. The set itself is not: it was written too often by others.
        const other = written === "conflict" ? await holder.reload() : undefined;
        if (other !== undefined && other.record.id !== before?.id) {
          onOrphan(record);
          return other;
        }
        if (typeof written === "number") {
          generation = written;
        } else if (other === undefined) {
          use(undefined);
          onOrphan(record);
          return undefined;
        }
      } catch (error) {
        failed = error as AuthError;
      }
      if (departures !== begun) {
        // A slow store may have written them after the logout had deleted all tokens.
        if (generation !== "absent") {
          const ifGeneration = generation;
          await deleteRecord(setting, at, { ifGeneration }).catch(() => {});
        }
        onOrphan(record);
        return undefined;
      }
      const held = hold(record, generation, proofKey);
      onIssued();
      use(held);
      if (failed !== undefined) {
        warn(setting, "New tokens could not be stored. They are kept in memory until the process ends.");
        onUnsaved(failed);
      }
      return held;
    },
    mark: (tokens, presentedAt) => amend(tokens, { presentedAt }),
    async want(scopes) {
      const tokens = current;
      if (tokens !== undefined) {
        const { asked, wanted = [] } = tokens.record;
        const added = scopes.filter((scope) => !asked.includes(scope) && !wanted.includes(scope));
        if (added.length > 0) {
          await amend(tokens, { wanted: firstFitting(union(wanted, added), added) }).catch(() => {});
        }
      }
    },
    async drop({ record, generation: ifGeneration }) {
      const rejected = {
        ...record,
        accessToken: "",
        refreshToken: undefined,
        proofKey: undefined,
        isRejected: true,
      };
      const isNewest =
        ifGeneration === "absent" ||
        (await writeRecord(setting, await key(), rejected, { ifGeneration })) !== "conflict";
      if (isNewest && current?.record.id === record.id) {
        use(undefined);
      }
    },
    async leave() {
      departures++;
      const record = current?.record;
      left = record?.login ?? left;
      use(undefined);
      return { key: await key(), record };
    },
  };
  return holder;
}
