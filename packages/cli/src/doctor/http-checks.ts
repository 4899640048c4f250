import type { RemoteSpec } from "@tenon/host";
import { isSocketUrl, socketFetch } from "@tenon/http/socket";
import { latestLegacy } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { proxyOf } from "../target/proxy.ts";
import type { Findings } from "./finding.ts";
import { send, type HttpAnswer, type HttpSender } from "./http-send.ts";
import { isLoopback } from "./static-checks.ts";

const origin = "https://tenon-doctor.example";
const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: latestLegacy,
    capabilities: {},
    clientInfo: { name: "tenon-doctor", version: "0.0.0" },
  },
});
const post = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Checks what an endpoint does with requests that clients, browsers and attackers send. */
export async function checkHttp(
  invocation: Invocation,
  { url, headers = {}, proxy }: RemoteSpec,
  findings: Findings,
  isAuthorized: boolean,
): Promise<void> {
  const isLocal = isSocketUrl(url);
  const sender = { signal: invocation.signal, fetch: isLocal ? socketFetch : proxyOf(invocation, proxy) };
  const request = (method: string, fields: Record<string, string>, body?: string): Promise<HttpAnswer> =>
    send({ url: new URL(url), method, headers: { ...headers, ...fields }, body, ...sender });
  const first = await request("POST", post, initialize);
  if (first.status === 404 || first.status === 405) {
    await findEndpoint(url, headers, first.status, sender, findings);
    return;
  }
  if (first.status < 300) {
    checkAnswer(first, findings);
    await checkNotification(request, first, findings);
    await checkBadJson(request, findings);
  }
  await endSession(request, first);
  if (first.status >= 300 && first.status !== 401 && first.status !== 403) {
    findings.note("headers", `initialize over POST gets ${first.status}: ${excerpt(first)}`);
  }
  checkGet(await request("GET", { accept: "text/event-stream" }), findings);
  await checkRevisionHeader(request, first, findings);
  await checkCors(request, first, findings);
  if (isLoopback(new URL(url).hostname)) {
    await checkRebinding(request, isAuthorized, findings);
  }
}

type Request = (method: string, fields: Record<string, string>, body?: string) => Promise<HttpAnswer>;

async function endSession(request: Request, { headers }: HttpAnswer): Promise<void> {
  const id = headers["mcp-session-id"];
  if (id !== undefined) {
    await request("DELETE", { "mcp-session-id": id }).catch(() => undefined);
  }
}

function checkAnswer({ headers }: HttpAnswer, findings: Findings): void {
  const type = headers["content-type"] ?? "";
  const id = headers["mcp-session-id"];
  if (!/^(?:application\/json|text\/event-stream)\b/i.test(type)) {
    findings.fail(
      "headers",
      `Responses to POST have the content type ${JSON.stringify(visibleLine(type))}.`,
      "send application/json or text/event-stream",
    );
  } else if (id !== undefined && !/^[\x21-\x7e]+$/.test(id)) {
    findings.fail(
      "headers",
      "Mcp-Session-Id contains characters that are not visible ASCII.",
      "use a UUID or random letters and digits",
    );
  } else if (id !== undefined && id.length < 16) {
    findings.warn(
      "headers",
      `Mcp-Session-Id has ${id.length} characters and may be guessed.`,
      "use at least 128 random bits",
    );
  } else {
    findings.ok("headers", `POST gets ${type.split(";")[0]}${id === undefined ? "" : " and a session ID"}.`);
  }
}

async function checkNotification(request: Request, first: HttpAnswer, findings: Findings): Promise<void> {
  const id = first.headers["mcp-session-id"];
  const { status, body } = await request(
    "POST",
    { ...post, "mcp-protocol-version": latestLegacy, ...(id === undefined ? {} : { "mcp-session-id": id }) },
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
  );
  if (status !== 202) {
    const content = body.trim() === "" ? "" : " and a body";
    findings.warn(
      "headers",
      `The notification notifications/initialized gets ${status}${content}.`,
      "respond to notifications with 202 and no body",
    );
  }
}

async function checkBadJson(request: Request, findings: Findings): Promise<void> {
  const answer = await request("POST", post, '{"jsonrpc": "2.0",').catch((error: unknown) =>
    messageOf(error),
  );
  if (typeof answer === "string") {
    const message = `Invalid JSON gets no response: ${visibleLine(answer)}`;
    findings.fail("headers", message, "respond with 400 and the error -32700");
    return;
  }
  if (answer.status >= 500) {
    findings.fail(
      "headers",
      `Invalid JSON gets ${answer.status}: ${excerpt(answer)}`,
      "respond with 400 and the error -32700; an internal error looks like an outage",
    );
  }
  if (/^\s*at .+[:(]\d+|Traceback \(most recent call last\)/m.test(answer.body.replaceAll("\\n", "\n"))) {
    findings.fail(
      "headers",
      "The response to invalid JSON shows a stack trace.",
      "set NODE_ENV=production or the like, and handle errors of the parser",
    );
  }
}

function checkGet({ status, headers }: HttpAnswer, findings: Findings): void {
  const isStream = status === 200 && /event-stream/.test(headers["content-type"] ?? "");
  if (isStream || status === 405 || status === 401 || status === 400 || status === 406 || status === 403) {
    findings.ok("headers", `GET gets ${status}.`);
  } else {
    findings.warn(
      "headers",
      `GET gets ${status}${status === 200 ? ` with the content type ${visibleLine(headers["content-type"] ?? "")}` : ""}.`,
      "respond to GET with an event stream, or with 405: clients distinguish transports by it",
    );
  }
}

async function checkRevisionHeader(request: Request, first: HttpAnswer, findings: Findings): Promise<void> {
  if (first.status >= 300) {
    return;
  }
  const { status } = await request(
    "POST",
    { ...post, "mcp-protocol-version": "1999-01-01" },
    JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list", params: {} }),
  );
  if (status < 400) {
    findings.warn(
      "headers",
      "A request with an unknown MCP-Protocol-Version is accepted.",
      "respond with 400",
    );
  }
}

/** The headers that every client in a browser sends. */
const usualHeaders = ["content-type", "authorization", "mcp-protocol-version", "mcp-session-id"];

/** The headers of modern requests, and of a stream that is continued. */
const furtherHeaders = ["mcp-method", "mcp-name", "last-event-id"];

async function checkCors(request: Request, first: HttpAnswer, findings: Findings): Promise<void> {
  const preflight = await request("OPTIONS", {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": [...usualHeaders, ...furtherHeaders].join(", "),
  });
  const allowed = preflight.headers["access-control-allow-origin"];
  if (preflight.status === 401) {
    findings.warn(
      "CORS",
      "No browser client can connect: its preflight gets 401.",
      "respond to OPTIONS before authentication; it never carries a token",
    );
    return;
  }
  if (allowed === undefined) {
    findings.note(
      "CORS",
      "Browser clients of other origins are not allowed.",
      "allow their origins if clients in browsers are wanted",
    );
    return;
  }
  const names = (preflight.headers["access-control-allow-headers"] ?? "").toLowerCase().split(/\s*,\s*/);
  const notIn = (asked: readonly string[]): readonly string[] =>
    names.includes("*") ? [] : asked.filter((name) => !names.includes(name));
  const missing = notIn(usualHeaders);
  const further = notIn(furtherHeaders);
  const answer = await request("POST", { ...post, origin }, initialize);
  await endSession(request, answer);
  const exposed = (answer.headers["access-control-expose-headers"] ?? "").toLowerCase();
  if (answer.headers["access-control-allow-origin"] === undefined && answer.status !== 403) {
    findings.warn(
      "CORS",
      `Access-Control-Allow-Origin is missing in the response with status ${answer.status}, although the preflight was allowed.`,
      "add the header to every response, refusals included: pages cannot read them otherwise",
    );
  } else if (missing.length > 0) {
    findings.warn(
      "CORS",
      `Access-Control-Allow-Headers does not have ${missing.join(", ")}.`,
      "allow the headers that clients send",
    );
  } else if (first.headers["mcp-session-id"] !== undefined && !/mcp-session-id|\*/.test(exposed)) {
    findings.warn(
      "CORS",
      "Pages cannot read Mcp-Session-Id.",
      "add Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate",
    );
  } else if (further.length > 0) {
    findings.note(
      "CORS",
      `Access-Control-Allow-Headers does not have ${further.join(", ")}.`,
      "allow them if clients in browsers shall use the newest protocol version and continue streams",
    );
  } else {
    findings.ok("CORS", `Browser clients are allowed: ${visibleLine(allowed)}.`);
  }
}

async function checkRebinding(request: Request, isAuthorized: boolean, findings: Findings): Promise<void> {
  const foreign = "rebound.example.com";
  const [byHost, byOrigin] = [
    await request("POST", { ...post, host: foreign }, initialize),
    await request("POST", { ...post, origin: `http://${foreign}` }, initialize),
  ];
  await endSession(request, byHost);
  await endSession(request, byOrigin);
  const accepted = [
    ...(byHost.status < 400 ? [`Host: ${foreign}`] : []),
    ...(byOrigin.status < 400 ? [`Origin: http://${foreign}`] : []),
  ];
  if (accepted.length === 0) {
    findings.ok("DNS rebinding", "Requests with a foreign Host or Origin are refused.");
  } else if (isAuthorized) {
    findings.warn(
      "DNS rebinding",
      `Requests with ${accepted.join(" and ")} are accepted; only the token protects them.`,
      "check Host and Origin, and refuse others with 403",
    );
  } else {
    findings.fail(
      "DNS rebinding",
      `Requests with ${accepted.join(" and ")} are accepted: any web page can use this server through the browser.`,
      "check Host and Origin, and refuse others with 403",
    );
  }
}

/** Looks for the endpoint at the usual paths. */
async function findEndpoint(
  url: string,
  headers: Readonly<Record<string, string>>,
  status: number,
  sender: HttpSender,
  findings: Findings,
): Promise<void> {
  const base = new URL(url);
  for (const path of ["/mcp", "/sse", "/", `${base.pathname.replace(/\/$/, "")}/mcp`, "/api/mcp"]) {
    const other = new URL(path, base);
    if (other.pathname === base.pathname) {
      continue;
    }
    const answer = await send({
      url: other,
      method: "POST",
      headers: { ...headers, ...post },
      body: initialize,
      ...sender,
    }).catch(() => undefined);
    const isEndpoint =
      answer !== undefined &&
      (answer.status === 401 ||
        /event-stream|application\/json/.test(answer.headers["content-type"] ?? "")) &&
      answer.status !== 404 &&
      answer.status !== 405;
    if (isEndpoint) {
      findings.fail(
        "address",
        `${base.pathname} gets ${status}, and ${other.pathname} looks like the endpoint.`,
        `use ${other.href}`,
      );
      return;
    }
  }
  findings.fail(
    "address",
    `${base.pathname} gets ${status}.`,
    "look for the path of the endpoint in the documentation of the server; /mcp is usual",
  );
}

function excerpt({ body }: HttpAnswer): string {
  return visibleLine(body).slice(0, 200);
}
