import { unlessAborted } from "@tenon/base";

import type { AuthError } from "../../shared/error.ts";
import type { ServerMetadata } from "../discover/metadata.ts";
import { failure, warn, type Setting } from "../setting.ts";
import {
  deleteRecord,
  readRecord,
  recordKey,
  writeRecord,
  type RegistrationRecord,
} from "../tokens/records.ts";
import type { ClientIdentity } from "../tokens/token-request.ts";
import { clientSecret, publicClient, type ClientAuth } from "./client-auth.ts";
import type { ClientRegistration, RegisteredClient } from "./client-registration.ts";
import { deleteRegistration, registerClient } from "./dynamic-registration.ts";
import { redirectClass, withoutPort } from "./redirect-uri.ts";
import type { Registrar } from "./registrar.ts";

/** Maximum number of registrations at one authorization server in an hour. */
const maxRegistrations = 3;
const hourMs = 3_600_000;
/**
 * Maximum number of earlier clients at one authorization server, for one kind of redirect URI. A
 * further client replaces the least recently used client.
 */
const maxClients = 64;
/** How often it is noted that a client is in use, in milliseconds. */
const noteMs = 86_400_000;
/** The time between two rejections after which a registration is given up, in milliseconds. */
const strikeMs = 5000;

/** A request for a client of the program. */
interface Asking {
  readonly issuer: string;
  readonly client: Promise<ClientIdentity | undefined>;
  /** How many wait for it. */
  waiting: number;
}

/** Creates a {@link Registrar}. */
export function registrarOf(setting: Setting, options: ClientRegistration): Registrar {
  const { registered = [], document, metadata = {}, requestClient } = options;
  // A user who configures a client for one server expects no other client elsewhere, unless it is
  // described.
  const mayRegister = metadata !== false && (registered.length === 0 || options.metadata !== undefined);
  const registeredAt = new Map<string, number[]>();
  /** The request for a client that is waited for. */
  let asking: Asking | undefined;
  /** The client that was requested last. After a login with it the user is not asked again. */
  let entered:
    | { readonly issuer: string; readonly client: ClientIdentity; readonly isAccepted: boolean }
    | undefined;

  const identityOf = (
    { clientId, auth = publicClient }: Omit<RegisteredClient, "issuer">,
    source: ClientIdentity["source"] = "registered",
  ): ClientIdentity => ({ id: clientId, auth, source });

  /** Requests a client, once for all that wait for it at one time. */
  async function requested(issuer: string, signal?: AbortSignal): Promise<ClientIdentity | undefined> {
    if (asking?.issuer !== issuer) {
      asking = { issuer, waiting: 0, client: request(issuer) };
    }
    const own = asking;
    own.waiting++;
    try {
      const client = await unlessAborted(own.client, signal);
      if (asking === own) {
        entered = client && { issuer, client, isAccepted: false };
      }
      return client;
    } finally {
      own.waiting--;
      // All have given up: the next login asks again, and a late response counts for nothing.
      if (own.waiting === 0 && asking === own) {
        asking = undefined;
      }
    }
  }

  async function request(issuer: string): Promise<ClientIdentity | undefined> {
    const client = await requestClient?.call(options, issuer);
    if (client !== undefined && (client.issuer !== issuer || typeof client.clientId !== "string")) {
      throw failure(
        setting,
        "REGISTRATION_UNAVAILABLE",
        "requestClient must return a client of the issuer that it was called with.",
        { issuer },
      );
    }
    return client && identityOf(client, "requested");
  }

  async function enteredFor(issuer: string, signal: AbortSignal): Promise<ClientIdentity> {
    const isKnown = entered?.issuer === issuer && entered.isAccepted;
    const client = isKnown ? entered?.client : await requested(issuer, signal);
    if (client === undefined) {
      throw unavailable(issuer);
    }
    return client;
  }

  function unavailable(issuer: string): AuthError {
    const other = registered[0]?.issuer;
    return other === undefined
      ? failure(
          setting,
          "REGISTRATION_UNAVAILABLE",
          "The authorization server supports none of the client's ways to register. Register the client there, and pass its identifier in client.registered.",
          { issuer },
        )
      : failure(
          setting,
          "ISSUER_CHANGED",
          `The MCP server names an authorization server for which no client is configured. The credentials for ${other} are not used elsewhere.`,
          { issuer },
        );
  }

  async function register(
    server: ServerMetadata,
    redirectUri: string | undefined,
    key: string,
    signal: AbortSignal,
  ): Promise<ClientIdentity> {
    const { issuer } = server;
    const recent = (registeredAt.get(issuer) ?? []).filter((at) => at > setting.date() - hourMs);
    if (recent.length >= maxRegistrations) {
      throw failure(
        setting,
        "LIMIT",
        `The client has registered ${recent.length} times within an hour. Check that the store keeps what is written to it.`,
        { issuer },
      );
    }
    const described = metadata === false ? {} : metadata;
    const record = await registerClient(setting, server, redirectUri, described, signal);
    // An attempt that failed does not count: the server may be down, or reject 127.0.0.1.
    registeredAt.set(issuer, [...recent, setting.date()]);
    if (registered.some(({ clientId }) => clientId === record.clientId)) {
      throw failure(
        setting,
        "REGISTRATION_REJECTED",
        "The authorization server assigned the identifier of a client that is registered elsewhere.",
        { issuer },
      );
    }
    const own = await recordKey("registration", [issuer, "client", record.clientId]);
    const used = { ...record, usedAt: setting.date() };
    await writeRecord(setting, own, used);
    const before = await recordAt(key);
    // Some servers return the same client again.
    const all = [...(before?.former ?? []), before?.own ?? own].filter((at) => at !== own);
    const uses = await Promise.all(all.map(async (at) => (await recordAt(at))?.usedAt ?? 0));
    const unused = all.length > maxClients ? all[uses.indexOf(Math.min(...uses))] : undefined;
    const former = all.filter((at) => at !== unused);
    const { clientId, method } = record;
    // Without a redirect URI it is not used by versions that do not read the client's own record.
    await writeRecord(setting, key, { clientId, method, redirectUris: [], own, former });
    if (unused !== undefined) {
      await forget(unused, signal);
    }
    return dynamic(used, own);
  }

  async function forget(registration: string, signal: AbortSignal): Promise<void> {
    const value = await recordAt(registration);
    await deleteRecord(setting, registration);
    if (value !== undefined) {
      await deleteRegistration(setting, value, signal).catch(() =>
        warn(setting, "The registration could not be deleted."),
      );
    }
  }

  const recordAt = async (key: string): Promise<RegistrationRecord | undefined> =>
    (await readRecord(setting, "registration", key)).value;

  /** The client of the last registration, and where its record is. */
  async function last(
    issuer: string,
    redirectUri: string | undefined,
  ): Promise<{ readonly key: string; readonly at: string; readonly value: RegistrationRecord | undefined }> {
    const key = await recordKey("registration", [issuer, redirectClass(redirectUri)]);
    const at = (await recordAt(key))?.own ?? key;
    return { key, at, value: await recordAt(at) };
  }

  const dynamic = (
    { clientId, method, secret, rejectedAt, usedAt = 0 }: RegistrationRecord,
    registration: string,
  ): ClientIdentity => ({
    id: clientId,
    auth: authOf(method, secret),
    source: "dynamic",
    registration,
    isUnnoted: rejectedAt !== undefined || setting.date() - usedAt > noteMs,
  });

  return {
    async identify(server, redirectUri, signal) {
      const { issuer } = server;
      const own = registered.find((client) => client.issuer === issuer);
      if (own !== undefined) {
        return identityOf(own);
      }
      if (document !== undefined && mayUseDocument(server, document, redirectUri)) {
        return identityOf({ ...document, clientId: document.url }, "document");
      }
      if (mayRegister && server.registration_endpoint !== undefined) {
        const { key, at, value } = await last(issuer, redirectUri);
        const isCurrent =
          value !== undefined &&
          (redirectUri === undefined || value.redirectUris.includes(redirectUri)) &&
          (value.secretExpiresAt ?? Infinity) > setting.date();
        return isCurrent ? dynamic(value, at) : register(server, redirectUri, key, signal);
      }
      return enteredFor(issuer, signal);
    },
    async preregistered(issuer, signal) {
      const own = registered.find((client) => client.issuer === issuer);
      return own === undefined ? enteredFor(issuer, signal) : identityOf(own);
    },
    async recall(issuer, clientId, registration, signal) {
      const own = registered.find((client) => client.issuer === issuer && client.clientId === clientId);
      if (own !== undefined) {
        return identityOf(own);
      }
      if (clientId === document?.url) {
        return identityOf({ ...document, clientId }, "document");
      }
      if (registration !== undefined) {
        const value = await recordAt(registration);
        return value?.clientId === clientId ? dynamic(value, registration) : undefined;
      }
      // The user has entered another client since: asking again would give that one.
      const isKnown = entered?.issuer === issuer && (entered.isAccepted || entered.client.id === clientId);
      const client = isKnown ? entered?.client : await requested(issuer, signal);
      return client?.id === clientId ? client : undefined;
    },
    redirectUris: async (issuer, redirectUri) => (await last(issuer, redirectUri)).value?.redirectUris ?? [],
    isKnown: async (issuer) =>
      registered.some((client) => client.issuer === issuer) ||
      (await last(issuer, "http://127.0.0.1")).value !== undefined,
    async reject({ id, registration }) {
      if (registration === undefined) {
        // Its secret may have changed.
        entered = entered?.client.id === id ? undefined : entered;
        return "kept";
      }
      const { value, generation } = await readRecord(setting, "registration", registration);
      const now = setting.date();
      // A client with another identifier has taken its place.
      if (value?.clientId !== id || generation === "absent") {
        return "deleted";
      }
      if (value.rejectedAt === undefined) {
        await writeRecord(setting, registration, { ...value, rejectedAt: now }, { ifGeneration: generation });
        return "suspected";
      }
      if (now - value.rejectedAt < strikeMs) {
        return "suspected";
      }
      // Another process may have noted in the meantime that the client was accepted.
      const isDeleted = await deleteRecord(setting, registration, { ifGeneration: generation });
      return isDeleted ? "deleted" : "suspected";
    },
    rejected() {
      entered = undefined;
    },
    async accept({ id, registration, isUnnoted }) {
      if (entered?.client.id === id) {
        entered = { ...entered, isAccepted: true };
      }
      if (registration === undefined || isUnnoted !== true) {
        return;
      }
      const { value, generation } = await readRecord(setting, "registration", registration);
      if (value?.clientId === id) {
        const accepted = { ...value, rejectedAt: undefined, usedAt: setting.date() };
        await writeRecord(setting, registration, accepted, { ifGeneration: generation });
      }
    },
    forget,
  };
}

function authOf(method: string, secret: string | undefined): ClientAuth {
  return secret === undefined || method === "none"
    ? publicClient
    : clientSecret(secret, { method: method === "client_secret_post" ? method : "client_secret_basic" });
}

function mayUseDocument(
  server: ServerMetadata,
  { url, redirectUris, auth = publicClient }: NonNullable<ClientRegistration["document"]>,
  redirectUri: string | undefined,
): boolean {
  const {
    client_id_metadata_document_supported: isSupported,
    token_endpoint_auth_methods_supported: methods,
  } = server;
  const isListed =
    redirectUri === undefined ||
    redirectUris?.some((each) => each === redirectUri || each === withoutPort(redirectUri));
  return (
    isSupported === true &&
    url.startsWith("https://") &&
    (methods === undefined || auth.methods.some((method) => methods.includes(method))) &&
    isListed !== false
  );
}
