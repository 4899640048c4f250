import type { Provider } from "oidc-provider";

import type { BrokerResponse } from "../http/exchange.ts";
import { redirect } from "../http/redirect.ts";
import { problemPage } from "../pages/consent.ts";
import { page } from "../pages/html.ts";
import { redirectHost } from "../provider/redirect-uris.ts";
import type { Account } from "../upstream/profile.ts";
import type { Accounts } from "./accounts.ts";
import type { Flow, Flows } from "./flows.ts";

/** The parts of decisions. */
export interface DecisionsParts {
  readonly flows: Flows;
  readonly accounts: Accounts;
  readonly provider: () => Promise<Provider>;
  /** Goes on with an authorization request, after the user has decided. */
  readonly resume: (uid: string) => Promise<BrokerResponse>;
  /** The scopes that an account may have; none if it may not log in. */
  readonly grantable: (account: Account, asked: readonly string[]) => Promise<readonly string[] | undefined>;
  /** Keeps the metadata document of a client that a user has allowed. */
  readonly keepDocument: (clientId: string) => Promise<void>;
  /** Keeps the tokens of the provider for longer than the session. */
  readonly confirmTokens: (subject: string) => Promise<void>;
  readonly base: string;
  readonly grantTtlMs: number;
}

/** Carries out decisions of users. Each result is `undefined` if the login has ended. */
export interface Decisions {
  /** Grants what the page showed, as far as the account may have it now. */
  allow(flow: Flow, subject: string, shown: readonly string[]): Promise<BrokerResponse | undefined>;
  deny(flow: Flow): Promise<BrokerResponse | undefined>;
}

/** A decision, as the library reads it. */
interface Decision {
  readonly error?: string;
  readonly error_description?: string;
  readonly select_account?: object;
  readonly login?: { readonly accountId: string; readonly remember: false };
  readonly consent?: { readonly grantId: string };
}

/** Creates the decisions. */
export function createDecisions(parts: DecisionsParts): Decisions {
  const { flows, accounts, base } = parts;

  async function allow(
    flow: Flow,
    subject: string,
    shown: readonly string[],
  ): Promise<BrokerResponse | undefined> {
    const record = await accounts.find(subject);
    const asked = flow.scopes.filter((scope) => shown.includes(scope));
    const granted = record === undefined ? undefined : await parts.grantable(record.account, asked);
    const { client } = flow;
    if (granted === undefined || client === undefined) {
      return undefined;
    }
    // From here on the page is of no use any more.
    if ((await flows.end(flow.id)) === undefined) {
      return undefined;
    }
    const provider = await parts.provider();
    const grant = new provider.Grant({ accountId: subject, clientId: client.id });
    grant.addOIDCScope("openid offline_access");
    grant.addResourceScope(flow.resource, granted.join(" "));
    const grantId = await grant.save(Math.floor(parts.grantTtlMs / 1000));
    await parts.keepDocument(client.id);
    await accounts.allow(subject, client.id, {
      clientName: client.name,
      redirectHost: client.redirectUri === undefined ? "another device" : redirectHost(client.redirectUri),
      scopes: granted,
      grant: grantId,
    });
    await parts.confirmTokens(subject);
    return conclude(flow, {
      login: { accountId: subject, remember: false },
      consent: { grantId },
      select_account: {},
    });
  }

  async function finish(flow: Flow, result: Decision): Promise<BrokerResponse | undefined> {
    return (await flows.end(flow.id)) === undefined ? undefined : conclude(flow, result);
  }

  async function conclude(flow: Flow, result: Decision): Promise<BrokerResponse | undefined> {
    if (flow.purpose === "account") {
      return redirect(`${base}/account`);
    }
    const provider = await parts.provider();
    if (flow.deviceCode !== undefined) {
      return concludeDevice(provider, flow, result);
    }
    const interaction = await provider.Interaction.find(flow.id);
    if (interaction === undefined) {
      return undefined;
    }
    interaction.result = result;
    await interaction.save(Math.max(1, interaction.exp - Math.floor(Date.now() / 1000)));
    return parts.resume(flow.id);
  }

  /** Stores the decision for the device, which polls for its tokens. */
  async function concludeDevice(
    provider: Provider,
    flow: Flow,
    result: Decision,
  ): Promise<BrokerResponse | undefined> {
    const code = await provider.DeviceCode.find(flow.deviceCode ?? "", { ignoreSessionBinding: true });
    if (code === undefined || code.accountId !== undefined || code.error !== undefined) {
      return undefined;
    }
    const granted = result.consent !== undefined;
    Object.assign(
      code,
      granted
        ? {
            accountId: result.login?.accountId,
            grantId: result.consent?.grantId,
            scope: flow.scopes.join(" "),
            resource: flow.resource,
            authTime: Math.floor(Date.now() / 1000),
          }
        : { error: "access_denied", errorDescription: "The user denied the access." },
    );
    await code.save();
    return page(
      200,
      problemPage(
        granted ? "Access allowed" : "Access denied",
        "You can close this page and return to your device.",
      ),
    );
  }

  return {
    allow,
    deny: (flow) =>
      finish(flow, { error: "access_denied", error_description: "The user denied the access." }),
  };
}
