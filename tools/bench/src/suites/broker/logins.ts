import { createHash, randomBytes } from "node:crypto";

const redirectUri = "http://127.0.0.1:7777/callback";

/** A browser that keeps its cookies, and follows no redirect by itself. */
function browserOf(): (url: string, form?: URLSearchParams) => Promise<Response> {
  const cookies = new Map<string, string>();
  return async (url, form) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { accept: "text/html", cookie },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
}

function formOf(page: string, button: string): URLSearchParams {
  const fields = [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return new URLSearchParams([
    ...fields.map(([, name = "", value = ""]) => [name, value] as [string, string]),
    ["do", button],
  ]);
}

/**
 * A whole login over sockets: a new client registers, a new browser goes through both pages and the
 * provider, the client redeems the code and calls a tool.
 *
 * @throws If a step has another result than a user would expect.
 */
export async function login(origin: string): Promise<string> {
  const registered = await fetch(`${origin}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: "none" }),
  });
  const { client_id } = (await registered.json()) as { readonly client_id: string };
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${origin}/mcp`,
    scope: "notes:read",
  });
  const visit = browserOf();
  const follow = async (url: string, form?: URLSearchParams): Promise<{ url: string; text: string }> => {
    const response = await visit(url, form);
    const text = await response.text();
    const location = response.headers.get("location");
    const next = location === null ? undefined : new URL(location, url).href;
    return next === undefined || next.startsWith(redirectUri) ? { url: next ?? url, text } : follow(next);
  };
  const first = await follow(`${origin}/authorize?${query.toString()}`);
  const consent = await follow(`${origin}/login`, formOf(first.text, "with:idp"));
  const back = await follow(`${origin}/login`, formOf(consent.text, "allow"));
  const redeemed = await fetch(`${origin}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id,
      code: new URL(back.url).searchParams.get("code") ?? "",
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  });
  const { access_token = "" } = (await redeemed.json()) as { readonly access_token?: string };
  const called = await call(origin, access_token);
  if (called !== 200) {
    throw new Error(`Expected status 200 of a call after a login, got ${called}`);
  }
  return access_token;
}

/** Calls the tool with a token. */
async function call(origin: string, token: string): Promise<number> {
  const response = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "who",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "who",
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  await response.arrayBuffer();
  return response.status;
}
