import { codeOf } from "@tenon/base";

import type { BrokerRequest, BrokerResponse, Serve } from "../http/exchange.ts";
import type { AccountPages } from "../login/account-pages.ts";
import type { DevicePages } from "../login/device-pages.ts";
import type { Login } from "../login/login.ts";
import { failed, problem } from "../pages/failed.ts";
import { protocolPaths } from "../provider/configuration.ts";
import type { Protocol } from "../provider/provider.ts";
import { readRegistration } from "../provider/registration.ts";
import type { DevelopmentProvider } from "../upstream/development.ts";
import type { Gates } from "./gates.ts";

/** The handlers behind the paths of a broker. */
export interface RouterParts {
  readonly protocol: Protocol;
  readonly login: Login;
  readonly accountPages: AccountPages;
  readonly devicePages: DevicePages;
  readonly upstreams: readonly string[];
  readonly developments: readonly DevelopmentProvider[];
  readonly gates: Gates;
  readonly scopes: readonly string[];
  readonly base: string;
  /** Whether the issuer is on loopback. */
  readonly isLocal: boolean;
  readonly maxInFlight: number;
  readonly onError: (error: unknown) => void;
}

/** Serves the paths of a broker. */
export interface Router {
  readonly paths: readonly string[];
  readonly serve: Serve;
}

const cors: readonly (readonly [string, string])[] = [
  ["access-control-allow-origin", "*"],
  ["access-control-allow-methods", "POST"],
  ["access-control-allow-headers", "content-type, mcp-protocol-version"],
];

const manyLogins = ["Too many logins at a time", "Too many logins began. Try again in a minute."] as const;

/** Creates the router: every path is known in advance, so that every framework can mount it. */
export function createRouter(parts: RouterParts): Router {
  const { protocol, login, gates, base, onError } = parts;
  let inFlight = 0;

  /**
   * A client that names no scopes asks for all: users see them. With a `request_uri`, it has named
   * them before.
   */
  function withScopes(request: BrokerRequest): BrokerRequest {
    const { method, search, headers, body } = request;
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
    if (method === "POST" && !isForm) {
      return request;
    }
    const parameters = new URLSearchParams(method === "POST" ? body.toString() : search);
    if ((parameters.get("scope") ?? "") === "" && !parameters.has("request_uri")) {
      parameters.set("scope", parts.scopes.join(" "));
    }
    const text = parameters.toString();
    return method === "POST" ? { ...request, body: Buffer.from(text) } : { ...request, search: `?${text}` };
  }

  /** Begins a login. */
  async function authorize(request: BrokerRequest): Promise<BrokerResponse> {
    const waitMs = await gates.login(request.address);
    return waitMs > 0
      ? tooMany(request, waitMs)
      : login.bind(request, await protocol.serve(withScopes(request)));
  }

  async function register(request: BrokerRequest): Promise<BrokerResponse> {
    if (request.method === "OPTIONS") {
      return { status: 204, headers: [...cors, ["access-control-max-age", "3600"]], body: "" };
    }
    const metadata = readRegistration(request.body);
    if ("error" in metadata) {
      return json(400, metadata, cors);
    }
    const waitMs = await gates.registration(request.address);
    if (waitMs > 0) {
      return tooMany(
        request,
        waitMs,
        ["Too many registrations", "Too many clients have registered. Try again later."],
        cors,
      );
    }
    const body = Buffer.from(JSON.stringify(metadata));
    const headers = { ...request.headers, "content-type": "application/json" };
    const response = await protocol.serve({ ...request, headers, body });
    return { ...response, headers: [...response.headers, ...cors] };
  }

  const get: Record<string, Serve> = {};
  const post: Record<string, Serve> = {};
  /** Paths that work while the broker is busy. */
  const free = new Set([`${base}${protocolPaths.jwks}`]);
  const any: Record<string, Serve> = {};
  const issuerPath = base;
  const metadata = ["oauth-authorization-server", "openid-configuration"];
  for (const name of metadata) {
    // RFC 8414 puts the path of the issuer last, OpenID Connect Discovery puts it first.
    for (const path of new Set([`/.well-known/${name}${issuerPath}`, `${issuerPath}/.well-known/${name}`])) {
      any[path] = (request) => protocol.serve({ ...request, path: `/.well-known/${name}` });
      free.add(path);
    }
  }
  for (const path of Object.values(protocolPaths)) {
    any[`${base}${path}`] = (request) => protocol.serve({ ...request, path });
  }
  const at = (path: string): string => `${base}${path}`;
  any[at(protocolPaths.authorization)] = (request) =>
    authorize({ ...request, path: protocolPaths.authorization });
  any[at(protocolPaths.registration)] = (request) =>
    register({ ...request, path: protocolPaths.registration });
  // Each of these requests stores something, as the start of a login does.
  for (const path of [protocolPaths.pushed_authorization_request, protocolPaths.device_authorization]) {
    any[at(path)] = async (request) => {
      const waitMs = request.method === "POST" ? await gates.login(request.address) : 0;
      return waitMs > 0 ? tooMany(request, waitMs) : protocol.serve({ ...withScopes(request), path });
    };
  }
  Reflect.deleteProperty(any, at(protocolPaths.code_verification));
  get[at(protocolPaths.code_verification)] = (request) => parts.devicePages.show(request);
  post[at(protocolPaths.code_verification)] = async (request) => {
    // Codes cannot be guessed at this rate.
    const waitMs = await gates.login(request.address);
    return waitMs > 0 ? tooMany(request, waitMs) : parts.devicePages.submit(request);
  };
  get[at("/login")] = (request) => login.show(request);
  post[at("/login")] = (request) => login.decide(request);
  for (const id of parts.upstreams) {
    get[at(`/login/callback/${id}`)] = (request) => login.callback(id, request);
  }
  get[at("/account")] = (request) => parts.accountPages.show(request);
  post[at("/account")] = (request) => parts.accountPages.change(request);
  for (const provider of parts.developments) {
    get[provider.path] = (request) => Promise.resolve(provider.serve(request));
  }
  const paths = [...new Set([...Object.keys(any), ...Object.keys(get), ...Object.keys(post)])];

  async function serve(request: BrokerRequest): Promise<BrokerResponse> {
    const { method, path } = request;
    // A page of the web whose name leads to this computer has its own name as the host.
    if (
      parts.isLocal &&
      !/^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(request.headers["host"] ?? "")
    ) {
      return plain(403, "Forbidden: the Host must be a name of loopback, as the issuer is\n");
    }
    const handler =
      any[path] ??
      (method === "POST" ? post[path] : method === "GET" || method === "HEAD" ? get[path] : undefined);
    if (handler === undefined) {
      const isKnown = paths.includes(path);
      return isKnown ? plain(405, "Method not allowed\n") : plain(404, "Not found\n");
    }
    if (inFlight >= parts.maxInFlight && !free.has(path)) {
      return tooMany(request, 1000, ["Too many requests at a time", "Try again in a moment."]);
    }
    inFlight++;
    try {
      return await handler(request);
    } catch (error) {
      onError(error);
      const isStore = String(codeOf(error)).startsWith("STORE_");
      return failed(request, isStore ? 503 : 500);
    } finally {
      inFlight--;
    }
  }

  return { paths, serve };
}

function plain(status: number, body: string): BrokerResponse {
  return { status, headers: [["content-type", "text/plain"]], body };
}

function json(
  status: number,
  body: object,
  headers: readonly (readonly [string, string])[] = [],
): BrokerResponse {
  return {
    status,
    headers: [["content-type", "application/json"], ["cache-control", "no-store"], ...headers],
    body: JSON.stringify(body),
  };
}

function tooMany(
  request: BrokerRequest,
  waitMs: number,
  [title, text]: readonly [string, string] = manyLogins,
  headers: readonly (readonly [string, string])[] = [],
): BrokerResponse {
  return problem(request, waitMs <= 1000 ? 503 : 429, { error: "temporarily_unavailable", title, text }, [
    ["retry-after", String(Math.ceil(waitMs / 1000))],
    ...headers,
  ]);
}
