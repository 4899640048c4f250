import type { Clock } from "@tenon/base";
import { createHttpClient, fetchWire, readText, type AuthProvider, type FetchLike } from "@tenon/http/client";

import type { SafeAuthorizationUrl } from "../client/discover/url.ts";
import type { RedirectReceiver } from "../client/login/receiver.ts";
import { formatChallenge } from "../shared/challenge.ts";
import { createIssuer, type Issuer, type IssuerOptions } from "./issuer.ts";
import { createScript, type ReceivedRequest, type Script, type ScriptedStep } from "./script.ts";

/** Options of {@link createScriptedAuthorization}. */
export interface ScriptedOptions extends IssuerOptions {
  /** The time of delays and of tokens. */
  readonly clock: Clock;
  /** The URL of the MCP server. Default: `"https://mcp.example/mcp"`. */
  readonly server?: string | undefined;
  /** The issuer of the authorization server. Default: `"https://as.example"`. */
  readonly issuer?: string | undefined;
  /**
   * Changes the metadata of the authorization server. A property that is `undefined` is left out.
   */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Changes the metadata of the resource. */
  readonly resourceMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** The scopes that the MCP server names in its challenge. By default it names none. */
  readonly scope?: string | undefined;
  /** The scopes that a request to the MCP server requires. */
  readonly requires?: ((request: ReceivedRequest) => readonly string[]) | undefined;
}

/**
 * A scripted authorization server and an MCP server that it protects. Nothing leaves the process:
 * both are reached through `fetch`.
 */
export interface ScriptedAuthorization {
  readonly server: string;
  readonly issuer: string;
  /** Pass it to `createOAuth`. Other origins than the two servers cannot be reached. */
  readonly fetch: FetchLike;
  /** The reactions to single requests. */
  readonly script: Script;
  /** Codes and tokens. */
  readonly tokens: Issuer;
  /** Every request, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Returns the requests of one step. */
  of(step: ScriptedStep): readonly ReceivedRequest[];
  /** Options for `authorizationCode`: a user who agrees to everything at once. */
  browser(): ScriptedBrowser;
  /**
   * Visits an authorization URL, and returns the parameters with which the browser is redirected.
   */
  visit(url: SafeAuthorizationUrl): Promise<URLSearchParams>;
  /**
   * Sends a request to the MCP server with the credentials of a provider, and returns the status
   * and the body of the response.
   */
  call(
    auth: AuthProvider | undefined,
    options?: CallOptionsOfScript,
  ): Promise<{ readonly status: number; readonly body: string }>;
}

/** The browser of a user who agrees to everything. Pass it to `authorizationCode`. */
export interface ScriptedBrowser {
  readonly receiver: RedirectReceiver;
  /** Visits the URL, and brings the response to the receiver. */
  open(url: SafeAuthorizationUrl): void;
}

/** Options of {@link ScriptedAuthorization.call}. */
export interface CallOptionsOfScript {
  /** The body of the request. Default: `"{}"`. */
  readonly body?: string | undefined;
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
}

const redirectUri = "http://127.0.0.1:49152/callback";
const json = (body: unknown): Response =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });

/** Creates a {@link ScriptedAuthorization}. */
export function createScriptedAuthorization(options: ScriptedOptions): ScriptedAuthorization {
  const { clock, server = "https://mcp.example/mcp", issuer = "https://as.example" } = options;
  const script = createScript(clock);
  const tokens = createIssuer(clock, options);
  const requests: ReceivedRequest[] = [];
  const endpoint = new URL(server);
  const documentUrl = `${endpoint.origin}/.well-known/oauth-protected-resource${endpoint.pathname}`;
  let clients = 0;

  const metadata = (): Record<string, unknown> => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "private_key_jwt"],
    ...options.metadata,
  });

  function stepOf(url: URL): ScriptedStep | "unknown" {
    const { origin, pathname } = url;
    if (origin === endpoint.origin && pathname === endpoint.pathname) {
      return "mcp";
    }
    if (pathname.startsWith("/.well-known/oauth-protected-resource")) {
      return "resource-metadata";
    }
    if (pathname.includes("/.well-known/")) {
      return "server-metadata";
    }
    const steps = {
      authorize: "authorize",
      token: "token",
      register: "register",
      revoke: "revoke",
      push: "push",
      device: "device",
    };
    return (steps as Record<string, ScriptedStep>)[pathname.split("/").at(-1) ?? ""] ?? "unknown";
  }

  async function respond(request: ReceivedRequest): Promise<Response> {
    const { step, url, parameters, headers } = request;
    switch (step) {
      case "resource-metadata":
        return url.href === documentUrl
          ? json({ resource: server, authorization_servers: [issuer], ...options.resourceMetadata })
          : new Response("", { status: 404 });
      case "server-metadata": {
        const path = new URL(issuer).pathname.replace(/\/$/, "");
        return url.href === `${new URL(issuer).origin}/.well-known/oauth-authorization-server${path}`
          ? json(metadata())
          : new Response("", { status: 404 });
      }
      case "register": {
        clients++;
        const asked = JSON.parse(request.body) as Record<string, unknown>;
        return new Response(JSON.stringify({ ...asked, client_id: `client-${clients}` }), {
          status: 201,
          headers: { "content-type": "application/json" },
        });
      }
      case "authorize": {
        const target = new URL(parameters.get("redirect_uri") ?? "");
        target.searchParams.set("code", tokens.authorize(parameters));
        target.searchParams.set("state", parameters.get("state") ?? "");
        target.searchParams.set("iss", String(metadata()["issuer"]));
        return new Response("", { status: 302, headers: { location: target.href } });
      }
      case "token":
        return tokens.token(parameters, parameters.get("client_id") ?? "", thumbprintOf(headers));
      case "revoke":
        tokens.revoke(parameters.get("token") ?? "");
        return json({});
      case "mcp":
        return serve(request);
      case "push":
      case "device":
      case "unknown":
        return new Response("", { status: 404 });
    }
  }

  function serve(request: ReceivedRequest): Response {
    const [, , token = ""] = /^(Bearer|DPoP) (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
    const access = tokens.access(token);
    const required = options.requires?.(request) ?? [];
    const refuse = (status: number, parameters: Record<string, string | undefined>): Response =>
      new Response("", {
        status,
        headers: {
          "www-authenticate": formatChallenge("Bearer", { ...parameters, resource_metadata: documentUrl }),
        },
      });
    if (access === undefined) {
      return refuse(401, { error: token === "" ? undefined : "invalid_token", scope: options.scope });
    }
    return required.every((scope) => access.scopes.includes(scope))
      ? new Response("ok")
      : refuse(403, { error: "insufficient_scope", scope: required.join(" ") });
  }

  const fetch: FetchLike = async (input, init) => {
    const url = new URL(input);
    const body = typeof init.body === "string" ? init.body : "";
    const request: ReceivedRequest = {
      step: stepOf(url),
      method: init.method ?? "GET",
      url,
      headers: new Headers(init.headers),
      parameters: init.method === "POST" ? new URLSearchParams(body) : url.searchParams,
      body,
      at: clock.now(),
    };
    requests.push(request);
    if (url.origin !== endpoint.origin && url.origin !== new URL(issuer).origin) {
      throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ENOTFOUND" } });
    }
    return script.apply(request.step, () => respond(request), init.signal);
  };

  const http = (auth: AuthProvider | undefined): ReturnType<typeof createHttpClient> =>
    createHttpClient({ wire: fetchWire(fetch), ...(auth === undefined ? {} : { auth }) });

  async function visit(url: SafeAuthorizationUrl): Promise<URLSearchParams> {
    const response = await fetch(new URL(url.href), { method: "GET" });
    return new URL(response.headers.get("location") ?? "about:blank").searchParams;
  }

  return {
    server,
    issuer,
    fetch,
    script,
    tokens,
    requests,
    of: (step) => requests.filter((request) => request.step === step),
    visit,
    browser() {
      let respondTo: ((parameters: URLSearchParams) => void) | undefined;
      let fail: ((error: unknown) => void) | undefined;
      return {
        receiver: {
          open(signal) {
            const response = new Promise<URLSearchParams>((resolve, reject) => {
              respondTo = resolve;
              fail = reject;
              signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
            });
            return Promise.resolve({ redirectUri, response, [Symbol.asyncDispose]: () => Promise.resolve() });
          },
        },
        open(url) {
          void visit(url).then(respondTo, fail);
        },
      };
    },
    async call(auth, { body = "{}", signal = new AbortController().signal } = {}) {
      const response = await http(auth)({
        url: endpoint,
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        signal,
      });
      return { status: response.status, body: await readText(response, 65_536) };
    },
  };
}

/** Stands for the thumbprint of a proof's key: the scripted server does not verify signatures. */
function thumbprintOf(headers: Headers): string | undefined {
  const [head] = (headers.get("dpop") ?? "").split(".");
  return head === undefined || head === "" ? undefined : head;
}
