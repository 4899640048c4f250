import { randomId } from "../http/cookies.ts";
import type { Vault } from "../store/vault.ts";
import type { Account } from "../upstream/profile.ts";

/** The consent of a user to a client. */
export interface Consent {
  readonly clientName: string;
  readonly redirectHosts: readonly string[];
  readonly scopes: readonly string[];
  /** When it was last allowed, in milliseconds since 1970. */
  readonly at: number;
  /** The grants that are valid, the newest last. */
  readonly grants: readonly string[];
}

/** An account and the consents of its user. */
export interface AccountRecord {
  readonly account: Account;
  /** The issuer of the provider. The same `id` may belong to another provider one day. */
  readonly issuer: string;
  /** A session of another epoch has ended. */
  readonly epoch: string;
  /** By the identifiers of the clients. */
  readonly consents: Readonly<Record<string, Consent>>;
}

/** The accounts of the broker. */
export interface Accounts {
  /** An account of a provider of now; `undefined` if the provider was removed or replaced. */
  find(subject: string): Promise<AccountRecord | undefined>;
  /** Keeps what the provider said at a login, and returns the epoch of its session. */
  loggedIn(account: Account): Promise<string>;
  allow(
    subject: string,
    clientId: string,
    consent: Omit<Consent, "grants" | "at" | "redirectHosts"> & {
      readonly redirectHost: string;
      readonly grant: string;
    },
  ): Promise<void>;
  /**
   * Ends what a client may do, or what all clients may do, and all sessions. Without a client that
   * is left, the tokens of the provider go, too.
   */
  revoke(subject: string, clientId?: string): Promise<void>;
  /** Ends the sessions of an account in all browsers. Programs keep their access. */
  logOut(subject: string): Promise<void>;
  /** Forgets an account, and ends everything of it. */
  forget(subject: string): Promise<void>;
}

/** Limits of an account: beyond them, the oldest ends. */
const [maxClients, maxGrants, maxHosts] = [50, 20, 5];
/** How long an account is kept after its last login: 400 days. */
const accountTtlMs = 34_560_000_000;

/** Creates the accounts. @param issuerOf - The issuer of an upstream of now. */
export function createAccounts(vault: Vault, issuerOf: (upstream: string) => string | undefined): Accounts {
  const isOfNow = ({ account, issuer }: AccountRecord): boolean => issuerOf(account.upstream) === issuer;

  async function end(grants: readonly string[]): Promise<void> {
    for (const grant of grants) {
      await vault.delete("Grant", grant);
    }
  }

  async function revoke(subject: string, clientId?: string): Promise<void> {
    let ended: readonly string[] = [];
    let isLast = clientId === undefined;
    await vault.update<AccountRecord>("account", subject, (before) => {
      if (before === undefined) {
        return "keep";
      }
      const { [clientId ?? ""]: one, ...others } = before.value.consents;
      const gone =
        clientId === undefined ? Object.values(before.value.consents) : one === undefined ? [] : [one];
      ended = gone.flatMap(({ grants }) => grants);
      const consents = clientId === undefined ? {} : others;
      isLast = Object.keys(consents).length === 0;
      return { ...before, value: { ...before.value, epoch: randomId(), consents } };
    });
    await end(ended);
    await (isLast ? vault.delete("upstream", subject) : undefined);
  }

  return {
    async find(subject) {
      const record = (await vault.get<AccountRecord>("account", subject))?.value;
      return record !== undefined && isOfNow(record) ? record : undefined;
    },
    async loggedIn(account) {
      const issuer = issuerOf(account.upstream) ?? "";
      let ended: readonly string[] = [];
      let epoch = "";
      if ((await vault.get<AccountRecord>("account", account.subject))?.value.issuer !== issuer) {
        // First, so that no token of another provider is left if this process ends here.
        await vault.delete("upstream", account.subject);
      }
      await vault.update<AccountRecord>("account", account.subject, (before) => {
        // An account of another provider with the same subject leaves nothing behind.
        const known = before?.value.issuer === issuer ? before.value : undefined;
        const foreign = known === undefined ? Object.values(before?.value.consents ?? {}) : [];
        ended = foreign.flatMap(({ grants }) => grants);
        epoch = known?.epoch ?? randomId();
        return {
          value: { account, issuer, epoch, consents: known?.consents ?? {} },
          expiresAt: Date.now() + accountTtlMs,
        };
      });
      await end(ended);
      return epoch;
    },
    async allow(subject, clientId, { clientName, scopes, redirectHost, grant }) {
      let ended: readonly string[] = [];
      await vault.update<AccountRecord>("account", subject, (before) => {
        if (before === undefined) {
          return "keep";
        }
        const { [clientId]: known, ...others } = before.value.consents;
        const grants = [...(known?.grants ?? []), grant];
        const redirectHosts = [...new Set([redirectHost, ...(known?.redirectHosts ?? [])])].slice(
          0,
          maxHosts,
        );
        const consent: Consent = {
          clientName,
          scopes,
          redirectHosts,
          at: Date.now(),
          grants: grants.slice(-maxGrants),
        };
        const ordered = [...Object.entries(others), [clientId, consent] as const];
        const dropped = ordered.slice(0, -maxClients);
        ended = [...grants.slice(0, -maxGrants), ...dropped.flatMap(([, { grants: ids }]) => ids)];
        return {
          ...before,
          value: { ...before.value, consents: Object.fromEntries(ordered.slice(-maxClients)) },
        };
      });
      await end(ended);
    },
    revoke,
    async logOut(subject) {
      await vault.update<AccountRecord>("account", subject, (before) =>
        before === undefined ? "keep" : { ...before, value: { ...before.value, epoch: randomId() } },
      );
    },
    async forget(subject) {
      await revoke(subject);
      await vault.delete("account", subject);
      await vault.delete("upstream", subject);
    },
  };
}
