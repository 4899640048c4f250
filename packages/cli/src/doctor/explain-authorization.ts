import { isRecord } from "@tenon/base";
import type { RemoteSpec } from "@tenon/host";

import type { Invocation } from "../command/invocation.ts";
import { visibleLine } from "../output/escape.ts";
import { proxyOf } from "../target/proxy.ts";
import type { Findings } from "./finding.ts";
import { send, type HttpAnswer, type HttpSender } from "./http-send.ts";

const post = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const probe = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

/**
 * Follows every step by which a client finds the authorization server of an endpoint, without
 * logging in.
 *
 * @returns Whether the endpoint requires authorization.
 */
export async function checkAuthorization(
  invocation: Invocation,
  { url, proxy }: RemoteSpec,
  findings: Findings,
): Promise<boolean> {
  const endpoint = new URL(url);
  const sender = { signal: invocation.signal, fetch: proxyOf(invocation, proxy) };
  const answer = await send({ url: endpoint, method: "POST", headers: post, body: probe, ...sender });
  if (answer.status !== 401) {
    if (answer.status <= 400) {
      findings.ok(
        "authorization",
        `A request without credentials gets ${answer.status}: no login is required.`,
      );
    }
    // Any other status has another reason.
    return false;
  }
  const challenge = answer.headers["www-authenticate"];
  if (challenge === undefined) {
    findings.fail(
      "authorization",
      "WWW-Authenticate is missing in the response 401.",
      'send WWW-Authenticate: Bearer resource_metadata="…/.well-known/oauth-protected-resource"',
    );
  } else {
    findings.ok("authorization", `401 with ${visibleLine(challenge)}`);
  }
  const named = /resource_metadata="([^"]+)"/.exec(challenge ?? "")?.[1];
  if (challenge !== undefined && named === undefined) {
    findings.warn(
      "authorization",
      "WWW-Authenticate does not name resource_metadata.",
      "add it: clients then need no guess",
    );
  }
  const resource = await firstDocument(named === undefined ? resourcePlaces(endpoint) : [named], sender);
  if (resource === undefined) {
    findings.fail(
      "authorization",
      `No protected resource metadata at ${named ?? resourcePlaces(endpoint).join(" or ")}.`,
      "serve the metadata of RFC 9728",
    );
    return true;
  }
  checkResource(resource, endpoint, findings);
  const issuers = Array.isArray(resource.json["authorization_servers"])
    ? resource.json["authorization_servers"]
    : [];
  for (const issuer of (issuers as readonly unknown[])
    .filter((each) => typeof each === "string")
    .slice(0, 5)) {
    await checkIssuer(issuer, sender, findings);
  }
  if (issuers.length === 0) {
    findings.fail(
      "authorization",
      "The metadata names no authorization_servers.",
      "name the issuer of the tokens",
    );
  }
  return true;
}

interface Document {
  readonly url: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly answer: HttpAnswer;
}

function checkResource({ url, json, answer }: Document, endpoint: URL, findings: Findings): void {
  const { resource } = json;
  const isOwn =
    typeof resource === "string" &&
    URL.canParse(resource) &&
    endpoint.href.startsWith(new URL(resource).href.replace(/\/$/, ""));
  if (isOwn) {
    findings.ok("authorization", `${url} describes ${visibleLine(resource)}.`);
  } else {
    findings.fail(
      "authorization",
      `${url} describes the resource ${visibleLine(JSON.stringify(resource))}, not ${endpoint.origin}${endpoint.pathname}.`,
      "resource must be the URL of the endpoint: clients refuse any other",
    );
  }
  if (answer.headers["access-control-allow-origin"] === undefined) {
    findings.note(
      "authorization",
      "Pages cannot read the metadata: Access-Control-Allow-Origin is missing.",
      "send Access-Control-Allow-Origin: *",
    );
  }
}

async function checkIssuer(issuer: string, sender: HttpSender, findings: Findings): Promise<void> {
  if (!URL.canParse(issuer)) {
    findings.fail(
      "authorization",
      `The authorization server ${visibleLine(issuer)} is not a URL.`,
      "write its issuer as a URL",
    );
    return;
  }
  const places = issuerPlaces(new URL(issuer));
  const found = await firstDocument(places, sender);
  if (found === undefined) {
    findings.fail(
      "authorization",
      `No metadata of the authorization server ${issuer}; tried ${places.join(", ")}.`,
      "serve the metadata of RFC 8414 or OpenID Connect",
    );
    return;
  }
  const { json, url } = found;
  if (json["issuer"] !== issuer) {
    findings.fail(
      "authorization",
      `${url} names the issuer ${visibleLine(JSON.stringify(json["issuer"]))}, not ${issuer}.`,
      "both must be the same, to the last slash",
    );
  } else {
    findings.ok("authorization", `${url} describes ${issuer}.`);
  }
  const methods = json["code_challenge_methods_supported"];
  if (!Array.isArray(methods) || !methods.includes("S256")) {
    findings.fail(
      "authorization",
      "The authorization server does not declare PKCE with S256.",
      "add S256 to code_challenge_methods_supported: clients must refuse otherwise",
    );
  }
  const canRegister =
    json["registration_endpoint"] !== undefined || json["client_id_metadata_document_supported"] === true;
  if (!canRegister) {
    findings.warn(
      "authorization",
      "Clients cannot register by themselves.",
      "support client ID metadata documents, or registration; otherwise every client needs an ID by hand",
    );
  }
}

/** The places of metadata of a resource, in the order of RFC 9728. */
function resourcePlaces(endpoint: URL): readonly string[] {
  const base = `${endpoint.origin}/.well-known/oauth-protected-resource`;
  const path = endpoint.pathname.replace(/\/$/, "");
  return path === "" ? [base] : [`${base}${path}`, base];
}

function issuerPlaces(issuer: URL): readonly string[] {
  const path = issuer.pathname.replace(/\/$/, "");
  const { origin } = issuer;
  return path === ""
    ? [`${origin}/.well-known/oauth-authorization-server`, `${origin}/.well-known/openid-configuration`]
    : [
        `${origin}/.well-known/oauth-authorization-server${path}`,
        `${origin}/.well-known/openid-configuration${path}`,
        `${origin}${path}/.well-known/openid-configuration`,
      ];
}

async function firstDocument(places: readonly string[], sender: HttpSender): Promise<Document | undefined> {
  for (const url of places.filter((place) => URL.canParse(place))) {
    const answer = await send({
      url: new URL(url),
      method: "GET",
      headers: { accept: "application/json" },
      ...sender,
    }).catch(() => undefined);
    sender.signal.throwIfAborted();
    try {
      const json: unknown = JSON.parse(answer?.status === 200 ? answer.body : "null");
      if (answer !== undefined && isRecord(json)) {
        return { url, json, answer };
      }
    } catch {
      // Not JSON: the next place may have it.
    }
  }
  return undefined;
}
