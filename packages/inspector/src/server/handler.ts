import { anySignal, reasonOf } from "@tenon/base";

import { ActionError } from "../engine/action-error.ts";
import type { Engine } from "../engine/engine.ts";
import type { ResolvedInspectorLimits } from "../engine/limits.ts";
import { BodyTooLarge, readBody } from "./body.ts";
import type { Browsers } from "./browsers.ts";
import { eventStream } from "./events.ts";
import { refusalOf, type Need } from "./guard.ts";
import { pageHeaders, securityHeaders } from "./headers.ts";
import { readAction, readServer } from "./read-action.ts";

/** The parts of an inspector that the handler uses. */
export interface HandlerSetup {
  readonly engine: Engine;
  readonly browsers: Browsers;
  readonly limits: ResolvedInspectorLimits;
  /** Begins and ends with `/`. */
  readonly path: string;
  readonly hosts: readonly string[] | undefined;
  /** The origins that the page shows in frames. */
  readonly frames: readonly string[];
  /** Aborts when the inspector is closed. */
  readonly signal: AbortSignal;
}

/** The files of the page, with their types. */
const types: Readonly<Record<string, string>> = {
  "": "text/html",
  "page.js": "text/javascript",
  "chat.js": "text/javascript",
  "page.css": "text/css",
  "icon.svg": "image/svg+xml",
};

/** How many characters of a line one response has at most. */
const maxPart = 256 * 1024;

/** Creates the handler of all requests of the page. It never rejects. */
export function createHandler(parts: HandlerSetup): (request: Request) => Promise<Response> {
  const { engine, browsers, limits, path } = parts;
  let streams = 0;

  async function respond(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.startsWith(path)) {
      return pathname === path.slice(0, -1) ? redirect(path) : say(404, `Open ${path}`);
    }
    const name = pathname.slice(path.length);
    const need: Need = Object.hasOwn(types, name) ? "page" : "data";
    const refusal = refusalOf(request, need, parts.hosts);
    if (refusal !== undefined) {
      return say(403, refusal);
    }
    const { method } = request;
    if (need === "page") {
      return method === "GET" || method === "HEAD"
        ? await file(name, parts.frames)
        : say(405, "GET the page.");
    }
    if (name === "session") {
      return method === "POST" ? await logIn(request) : say(405, "POST the code.");
    }
    if (!browsers.admits(request.headers)) {
      return say(401, "This tab has no access: it was opened without a link of the inspector.");
    }
    switch (`${method} ${name}`) {
      case "GET events":
        return events(request, Number(searchParams.get("after") ?? 0));
      case "GET line":
        return line(Number(searchParams.get("seq")), Number(searchParams.get("offset") ?? 0));
      case "GET export":
        return await download(searchParams);
      case "POST link":
        return json({ code: browsers.newCode() });
      case "POST action":
        return await act(request);
      default:
        return say(404, "There is nothing here.");
    }
  }

  async function logIn(request: Request): Promise<Response> {
    const grant = browsers.exchange(await readBody(request, 1000));
    if (grant === undefined) {
      return say(
        401,
        "The link was used before, is older than ten minutes, or belongs to another inspector.",
      );
    }
    return Response.json({ key: grant.key }, { headers: { ...securityHeaders, "set-cookie": grant.cookie } });
  }

  function events(request: Request, after: number): Response {
    if (streams >= limits.maxStreams) {
      return say(429, `${streams} pages are open. Close one of them.`);
    }
    streams++;
    const signal = anySignal([request.signal, parts.signal]);
    const body = eventStream(engine, Number.isSafeInteger(after) ? after : 0, signal, () => {
      streams--;
    });
    return new Response(body, { headers: { ...securityHeaders, "content-type": "text/event-stream" } });
  }

  function line(seq: number, offset: number): Response {
    const found = engine.log.line(seq);
    if (found === undefined) {
      return say(404, "This line was dropped, because newer lines needed its space.");
    }
    const { text, summary } = found;
    const from = Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
    const part = text.slice(from, from + maxPart);
    const next = from + part.length < text.length ? from + part.length : undefined;
    return json({ part, length: text.length, bytes: summary.bytes, ...(next === undefined ? {} : { next }) });
  }

  async function download(search: URLSearchParams): Promise<Response> {
    const { exportOf } = await import("./export.lazy.ts");
    const format = search.get("format") ?? "";
    const seq = search.get("seq");
    const made = exportOf(engine, format, {
      seq: seq === null ? undefined : Number(seq),
      server: search.get("server") ?? undefined,
    });
    const missing =
      format === "test"
        ? "There is no call with a response that could become a test."
        : "Expected the format jsonl, har, html or test.";
    return made === undefined
      ? say(404, missing)
      : new Response(made.body, {
          headers: {
            ...securityHeaders,
            "content-type": made.type,
            "content-disposition": `attachment; filename="${made.name}"`,
          },
        });
  }

  async function act(request: Request): Promise<Response> {
    if (request.headers.get("content-type")?.startsWith("application/json") !== true) {
      return say(415, "Expected a body of application/json.");
    }
    const body = await readBody(request, limits.maxMessageBytes);
    let action;
    let server;
    try {
      const sent: unknown = JSON.parse(body);
      action = readAction(sent);
      server = readServer(sent);
    } catch (error) {
      return say(400, reasonOf(error));
    }
    try {
      return json((await engine.act(action, server)) ?? null);
    } catch (error) {
      return say(error instanceof ActionError ? 409 : 422, reasonOf(error));
    }
  }

  return async (request) => {
    try {
      return await respond(request);
    } catch (error) {
      return error instanceof BodyTooLarge ? say(413, error.message) : say(500, reasonOf(error));
    }
  };
}

async function file(name: string, frames: readonly string[]): Promise<Response> {
  let page;
  try {
    page = await import("#page");
  } catch {
    return say(500, "Build the page first: pnpm --filter @tenon/inspector build");
  }
  const bodies: Readonly<Record<string, string>> = {
    ...page.scripts,
    "": page.html,
    "page.css": page.style,
    "icon.svg": page.icon,
  };
  const body = bodies[name];
  const type = types[name] ?? "text/plain";
  const headers = { ...pageHeaders(frames), "content-type": `${type}; charset=utf-8` };
  return new Response(body, { headers });
}

function json(value: unknown): Response {
  return Response.json(value, { headers: securityHeaders });
}

/** A refusal: a sentence as plain text, which no browser takes for HTML. */
function say(status: number, sentence: string): Response {
  const headers = { ...securityHeaders, "content-type": "text/plain; charset=utf-8" };
  return new Response(`${sentence}\n`, { status, headers });
}

function redirect(path: string): Response {
  return new Response(null, { status: 308, headers: { ...securityHeaders, location: path } });
}
