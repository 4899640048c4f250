import { createHash, createHmac } from "node:crypto";

import { randomId } from "../http/cookies.ts";
import type { Kept, Vault } from "../store/vault.ts";
import type { Started } from "../upstream/client.ts";

/** A login that runs: of a client, of a device, or for the account page. */
export interface Flow {
  readonly id: string;
  /** The hash of the cookie of the browser in which it began. */
  readonly browser: string;
  /** The secret behind the proofs in the forms of the login's pages. Each change replaces it. */
  readonly nonce: string;
  readonly purpose: "client" | "device" | "account";
  readonly client?: FlowClient | undefined;
  readonly scopes: readonly string[];
  readonly resource: string;
  /** The account that was chosen or has logged in: a subject. */
  readonly account?: string | undefined;
  /** Whether the user wants to choose another account at the provider. */
  readonly switches?: boolean | undefined;
  /** The identifier of the device's code. */
  readonly deviceCode?: string | undefined;
  /** The code that the device shows, for the user to compare. */
  readonly userCode?: string | undefined;
}

/** The client that a login is for. Texts come from the client. */
export interface FlowClient {
  readonly id: string;
  readonly name: string;
  readonly host: string | undefined;
  readonly redirectUri: string | undefined;
}

/** A visit to a provider. */
export interface Visit extends Omit<Started, "url"> {
  readonly flow: string;
  readonly upstream: string;
}

/** The logins that run, in all processes. */
export interface Flows {
  begin(flow: Omit<Flow, "nonce">): Promise<Flow>;
  /** A flow of this browser; `undefined` if there is none, or if it belongs to another browser. */
  find(id: string, browser: string | undefined): Promise<Flow | undefined>;
  change(id: string, change: (flow: Flow) => Flow): Promise<void>;
  /** Ends a flow. Only one caller gets it. */
  end(id: string): Promise<Flow | undefined>;
  /** Remembers a visit to a provider by its `state`. */
  leave(visit: Visit): Promise<void>;
  /** The visit of a `state`, once. */
  return(state: string): Promise<Visit | undefined>;
}

/** How long a visit to a provider may take: 10 minutes. */
const visitTtlMs = 600_000;

/** Creates the logins. */
export function createFlows(vault: Vault, timeoutMs: number): Flows {
  return {
    async begin(given) {
      const flow: Flow = { ...given, nonce: randomId() };
      await vault.put("flow", flow.id, { value: flow, expiresAt: Date.now() + timeoutMs });
      return flow;
    },
    async find(id, browser) {
      const flow =
        id === "" || browser === undefined ? undefined : (await vault.get<Flow>("flow", id))?.value;
      return flow !== undefined && flow.browser === hashOf(browser ?? "") ? flow : undefined;
    },
    async change(id, change) {
      await vault.update<Flow>("flow", id, (before: Kept<Flow> | undefined) =>
        before === undefined ? "keep" : { ...before, value: { ...change(before.value), nonce: randomId() } },
      );
    },
    end: async (id) => (await vault.take<Flow>("flow", id))?.value,
    leave: (visit) => vault.put("visit", visit.state, { value: visit, expiresAt: Date.now() + visitTtlMs }),
    return: async (state) => (state === "" ? undefined : (await vault.take<Visit>("visit", state))?.value),
  };
}

/** The proof of a form, for the account and the scopes of one page. */
export function proofOf(flow: Flow, account: string | undefined, shown: string): string {
  return createHmac("sha256", flow.nonce)
    .update(JSON.stringify([account ?? null, shown]))
    .digest("base64url");
}

/** Cookies are stored as hashes. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
