import { createHash, randomBytes } from "node:crypto";

import type { FetchFunction } from "@tenon/auth/server";

import type { BrokerRequest, BrokerResponse } from "../http/exchange.ts";
import { escaped, page, type Html } from "../pages/html.ts";
import { oauth2, type Upstream } from "./upstream.ts";

/** A user of the development login. */
export interface DevelopmentUser {
  /** Identifies the user: the subject is `development:` with this name. */
  readonly login: string;
  /** The name. Default: `login`. */
  readonly name?: string | undefined;
  /** The address, which counts as verified. By default the user has none. */
  readonly email?: string | undefined;
  /** The groups. By default none. */
  readonly groups?: readonly string[] | undefined;
}

/** The result of {@link development}: an upstream that only exists on this computer. */
export interface DevelopmentUpstream {
  /** The users. */
  readonly development: readonly DevelopmentUser[];
}

/** Maximum number of logins at a time. The oldest one ends. */
const maxLogins = 1000;

/**
 * A login without passwords for development. `createBroker` accepts it only if
 * the issuer is on loopback.
 *
 * @param users - Default: Alice and Bob.
 */
export function development(
  users: readonly DevelopmentUser[] = [
    { login: "alice", name: "Alice Example", email: "alice@example.com" },
    { login: "bob", name: "Bob Example", email: "bob@example.com" },
  ],
): DevelopmentUpstream {
  return { development: users };
}

/** The provider behind a {@link DevelopmentUpstream}, within the broker. */
export interface DevelopmentProvider {
  readonly upstream: Upstream;
  readonly path: string;
  serve(request: BrokerRequest): BrokerResponse;
  /** Responds to requests of the broker to this provider. Other requests are sent. */
  fetch(next: FetchFunction): FetchFunction;
}

/** Creates the provider. @param base - The URL of the issuer, without a slash at the end. */
export function createDevelopmentProvider(
  { development: users }: DevelopmentUpstream,
  base: string,
): DevelopmentProvider {
  const url = `${base}/development`;
  const upstream = oauth2({
    id: "development",
    name: "the development login",
    clientId: "broker",
    authorizationEndpoint: url,
    tokenEndpoint: `${url}/token`,
    userinfo: { url: `${url}/userinfo` },
    profile: { subject: "login", name: "name", email: "email", emailVerified: true, groups: "groups" },
    issuer: base,
  });
  const logins = new Map<string, { readonly user: DevelopmentUser; readonly challenge: string }>();

  function remember(user: DevelopmentUser, challenge: string): string {
    const id = randomBytes(16).toString("base64url");
    const [oldest] = logins.size >= maxLogins ? logins.keys() : [];
    if (oldest !== undefined) {
      logins.delete(oldest);
    }
    logins.set(id, { user, challenge });
    return id;
  }

  function answer(path: string, init: RequestInit): Response {
    if (path.endsWith("/userinfo")) {
      const token = new Headers(init.headers).get("authorization")?.split(" ")[1] ?? "";
      return Response.json(logins.get(token)?.user ?? {});
    }
    const form = new URLSearchParams(
      init.body instanceof URLSearchParams || typeof init.body === "string" ? init.body : "",
    );
    const code = form.get("code") ?? "";
    const login = logins.get(code);
    logins.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return login?.challenge === challenge
      ? Response.json({ access_token: remember(login.user, ""), token_type: "Bearer", expires_in: 3600 })
      : Response.json({ error: "invalid_grant" }, { status: 400 });
  }

  return {
    upstream,
    path: new URL(url).pathname,
    serve({ search }) {
      const query = new URLSearchParams(search);
      const chosen = users.find(({ login }) => login === query.get("user"));
      if (chosen === undefined) {
        return page(200, choice(users, query));
      }
      const back = new URL(query.get("redirect_uri") ?? "", base);
      if (!back.href.startsWith(`${base}/login/callback/`)) {
        return page(400, {
          title: "Not for other programs",
          body: "<p>This login is for the broker only.</p>",
        });
      }
      back.searchParams.set("code", remember(chosen, query.get("code_challenge") ?? ""));
      back.searchParams.set("state", query.get("state") ?? "");
      return { status: 303, headers: [["location", back.href]], body: "" };
    },
    fetch: (next) => async (target, init) =>
      target.startsWith(`${url}/`) ? answer(new URL(target).pathname, init) : next(target, init),
  };
}

function choice(users: readonly DevelopmentUser[], query: URLSearchParams): Html {
  const links = users.map((user) => {
    const to = new URLSearchParams(query);
    to.set("user", user.login);
    return `<p><a class="button" href="?${escaped(to.toString())}">${escaped(user.name ?? user.login)}</a></p>`;
  });
  return {
    title: "Choose a user",
    body: `<p class="warning" role="note">Development login without passwords. It runs on this computer only.</p>
${links.join("\n")}`,
  };
}
