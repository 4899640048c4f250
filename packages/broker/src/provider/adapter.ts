import { errors } from "oidc-provider";

import { never, type Vault } from "../store/vault.ts";

/** A record of the library, with times in seconds. */
type Payload = Readonly<Record<string, unknown>> & { readonly exp?: number; readonly consumed?: number };

/** How long the library's values are kept. */
export interface AdapterLimits {
  readonly unusedClientTtlMs: number;
  readonly clientTtlMs: number;
  readonly refreshGraceMs: number;
}

/** The storage that the library asks for, one for each of its models. */
export interface Adapter {
  upsert(id: string, payload: Payload, seconds?: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  findByUserCode(code: string): Promise<Payload | undefined>;
  destroy(id: string): Promise<void>;
  consume(id: string): Promise<void>;
  revokeByGrantId(id: string): Promise<void>;
}

/** A client whose record is younger than this was used a short time ago: 1 day. */
const touchEveryMs = 86_400_000;

/**
 * Creates the storage of the library in a vault. The library's own sessions are not kept: each
 * request for authorization is a session of its own, and the broker remembers who is logged in.
 *
 * A deleted grant invalidates its codes and refresh tokens, because the library reads the grant
 * before it uses them. Therefore the tokens of a grant are not listed.
 */
export function createAdapter(vault: Vault, limits: AdapterLimits): (model: string) => Adapter {
  /** Keeps the registration of a client while it is used. */
  async function touch(clientId: string): Promise<void> {
    const soonest = Date.now() + limits.clientTtlMs - touchEveryMs;
    await vault.update<Payload>("Client", clientId, (before) =>
      before === undefined || before.expiresAt >= soonest
        ? "keep"
        : { value: before.value, expiresAt: Date.now() + limits.clientTtlMs },
    );
  }

  return (model) => ({
    async upsert(id, payload, seconds) {
      if (model === "Session") {
        return;
      }
      const ttlMs = model === "Client" ? limits.unusedClientTtlMs : (seconds ?? never) * 1000;
      const expiresAt = Math.min(Date.now() + ttlMs, never);
      await vault.put(model, id, { value: payload, expiresAt });
      if (typeof payload["userCode"] === "string") {
        await vault.put("UserCode", payload["userCode"], { value: id, expiresAt });
      }
      const isUse = model === "RefreshToken" || model === "AuthorizationCode";
      if (isUse && typeof payload["clientId"] === "string") {
        await touch(payload["clientId"]);
      }
    },
    async find(id) {
      const found = await vault.get<Payload>(model, id);
      return found === undefined ? undefined : readable(model, found.value, limits.refreshGraceMs);
    },
    findByUid: () => Promise.resolve(undefined),
    async findByUserCode(code) {
      const id = await vault.get<string>("UserCode", code);
      return id === undefined ? undefined : (await vault.get<Payload>(model, id.value))?.value;
    },
    destroy: (id) => vault.delete(model, id),
    async consume(id) {
      await vault.update<Payload>(model, id, (before) => {
        // The library has looked before, but another process may have been faster.
        if (
          before === undefined ||
          readable(model, before.value, limits.refreshGraceMs).consumed !== undefined
        ) {
          throw new errors.InvalidGrant("already used");
        }
        const consumed = before.value.consumed ?? Date.now() / 1000;
        return { ...before, value: { ...before.value, consumed } };
      });
    },
    revokeByGrantId: () => Promise.resolve(),
  });
}

/**
 * A refresh token that was used a moment ago counts as unused: the response may have been lost, and
 * clients send several refreshes at the same time.
 */
function readable(model: string, payload: Payload, graceMs: number): Payload {
  const { consumed, ...unused } = payload;
  const isFresh = consumed !== undefined && consumed * 1000 > Date.now() - graceMs;
  return model === "RefreshToken" && isFresh ? unused : payload;
}
