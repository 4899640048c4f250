import { reasonOf } from "@tenon/base";

import type { CorsReport, Verdict } from "../wire/verdict.ts";

/** The headers that clients send. Browsers ask for permission to send them. */
export const sentHeaders: readonly string[] = [
  "content-type",
  "authorization",
  "mcp-protocol-version",
  "mcp-session-id",
  "mcp-method",
  "mcp-name",
  "last-event-id",
];

/** The headers of responses that clients read. Pages see them only if they are exposed. */
const readHeaders = ["mcp-session-id", "www-authenticate"];

/** A request that changes nothing. Its response, refusals included, has the headers of CORS. */
const ping = JSON.stringify({ jsonrpc: "2.0", id: "cors", method: "ping" });

/**
 * Sends the requests that a browser would send for a page of `origin`, and judges the responses as
 * the browser would.
 *
 * @throws `TypeError` for a value that is not the origin of a page.
 */
export async function checkCors(url: string, origin: string, send: typeof fetch): Promise<CorsReport> {
  if (!/^https?:/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw new TypeError(`Expected an origin such as https://app.example; got ${JSON.stringify(origin)}.`);
  }
  const shown = new URL(url).origin + new URL(url).pathname;
  let preflight: Response;
  let answer: Response;
  try {
    preflight = await send(url, {
      method: "OPTIONS",
      redirect: "manual",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": sentHeaders.join(", "),
      },
    });
    await preflight.body?.cancel();
    answer = await send(url, {
      method: "POST",
      headers: { origin, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: ping,
    });
    await answer.body?.cancel();
  } catch (error) {
    const found = `The server could not be reached: ${reasonOf(error)}`;
    return {
      url: shown,
      origin,
      works: false,
      verdicts: [{ rule: "connection", verdict: "problem", found }],
    };
  }
  const verdicts = [
    originRule("preflight", preflight, origin),
    statusRule(preflight),
    methodRule(preflight),
    headerRule(preflight),
    originRule("response", answer, origin),
    exposedRule(answer),
    deleteRule(preflight),
  ];
  return { url: shown, origin, works: verdicts.every(({ verdict }) => verdict !== "problem"), verdicts };
}

function listIn(response: Response, name: string): string[] {
  const value = response.headers.get(name) ?? "";
  return value
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function originRule(step: string, response: Response, origin: string): Verdict {
  const rule = `Access-Control-Allow-Origin of the ${step}`;
  const allowed = response.headers.get("access-control-allow-origin");
  if (allowed === "*" || allowed === origin) {
    return { rule, verdict: "ok", found: `It is ${allowed}.` };
  }
  const got = allowed === null ? "is missing" : `is ${JSON.stringify(allowed.slice(0, 200))}`;
  const found = `It ${got} (status ${response.status}): pages of ${origin} cannot read the response. Allow the origin, in refusals too.`;
  return { rule, verdict: "problem", found };
}

function statusRule({ ok, status }: Response): Verdict {
  const rule = "Status of the preflight";
  const advice: Readonly<Record<number, string>> = {
    401: "Respond to OPTIONS before authentication: it never carries a token.",
    403: "The server refuses the origin: allow it.",
  };
  const isRedirect = status >= 300 && status < 400;
  return ok
    ? { rule, verdict: "ok", found: `It is ${status}.` }
    : {
        rule,
        verdict: "problem",
        found: `It is ${status}; browsers require 200 to 299. ${isRedirect ? "They do not follow redirects of OPTIONS: use the URL that the redirect names." : (advice[status] ?? "Respond to OPTIONS.")}`,
      };
}

function methodRule(preflight: Response): Verdict {
  // Browsers send POST without asking for the method.
  const methods = listIn(preflight, "access-control-allow-methods");
  return {
    rule: "Access-Control-Allow-Methods",
    verdict: "ok",
    found: methods.length === 0 ? "POST and GET need no permission." : `It has ${methods.join(", ")}.`,
  };
}

function deleteRule(preflight: Response): Verdict {
  const rule = "DELETE, which ends a session";
  const methods = listIn(preflight, "access-control-allow-methods");
  return methods.includes("delete") || methods.includes("*")
    ? { rule, verdict: "ok", found: "It is allowed." }
    : { rule, verdict: "note", found: "It is not allowed: sessions of pages end by their timeout only." };
}

function headerRule(preflight: Response): Verdict {
  const rule = "Access-Control-Allow-Headers";
  const names = listIn(preflight, "access-control-allow-headers");
  // The wildcard does not include this header.
  const missing = sentHeaders.filter(
    (name) => !names.includes(name) && (name === "authorization" || !names.includes("*")),
  );
  return missing.length === 0
    ? { rule, verdict: "ok", found: "It has all headers that clients send." }
    : { rule, verdict: "problem", found: `It does not have ${missing.join(", ")}. Add them.` };
}

function exposedRule(answer: Response): Verdict {
  const rule = "Access-Control-Expose-Headers";
  const names = listIn(answer, "access-control-expose-headers");
  const missing = names.includes("*") ? [] : readHeaders.filter((name) => !names.includes(name));
  const isNeeded = missing.some((name) => answer.headers.has(name));
  const found = `It does not have ${missing.join(", ")}: pages do not see ${missing.length === 1 ? "this header" : "these headers"}.`;
  return missing.length === 0
    ? { rule, verdict: "ok", found: "It has all headers that clients read." }
    : { rule, verdict: isNeeded ? "problem" : "note", found };
}
