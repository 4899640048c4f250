import { anySignal, checkOptionNames, isRecord, reasonOf, timeLimit } from "@tenon/base";

import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import { schemaFindings } from "../registry/schema-findings.ts";
import { serverCardSchema } from "../registry/server-json-schema.ts";
import { cardUrl, serverCardType, type ServerCard } from "./card.ts";

/** Options of {@link readCard}. */
export interface ReadCardOptions {
  /** Sends the request. Default: the `fetch` of the platform. */
  readonly fetch?: ((url: URL, init: RequestInit) => Promise<Response>) | undefined;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum time for the request, in milliseconds. Default: `15_000`. */
  readonly timeoutMs?: number | undefined;
}

/** A card that was read. It is a claim: the running server decides. */
export interface ReadCard {
  readonly url: string;
  readonly card: ServerCard;
  /** The violations of the specification by the card or its response. */
  readonly findings: readonly Finding[];
}

/** A card has a few kilobytes. */
const maxCardBytes = 262_144;
const cardTimeoutMs = 15_000;

/**
 * Reads the card of a remote server.
 *
 * @param endpoint - The URL of the endpoint, or of the card.
 * @throws `ShipError` `CARD_UNREADABLE` if there is no card, or it is not a JSON object.
 */
export async function readCard(endpoint: string | URL, options: ReadCardOptions = {}): Promise<ReadCard> {
  checkOptionNames("readCard", options, "fetch:function signal timeoutMs");
  const { fetch: send = fetch, signal, timeoutMs = cardTimeoutMs } = options;
  const url = cardUrl(endpoint);
  const shown = withoutUser(url.href, url);
  const limit = timeLimit(timeoutMs);
  const findings: Finding[] = [];
  let text: string;
  try {
    const response = await send(url, {
      headers: { Accept: serverCardType },
      signal: signal === undefined ? limit.signal : anySignal([signal, limit.signal]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the status is ${response.status}`);
    }
    findings.push(...headerFindings(response.headers));
    text = await textOf(response);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ShipError(
      "CARD_UNREADABLE",
      `${shown} cannot be read: ${withoutUser(reasonOf(cause), url).replace(/\.$/, "")}.`,
      // Messages of `fetch` quote the whole URL.
      { cause: url.href === shown ? cause : new Error(withoutUser(reasonOf(cause), url)) },
    );
  } finally {
    limit.end();
  }
  let card: unknown;
  try {
    card = JSON.parse(text);
  } catch (cause) {
    throw new ShipError("CARD_UNREADABLE", `${shown} is not JSON.`, { cause });
  }
  if (!isRecord(card)) {
    throw new ShipError("CARD_UNREADABLE", `${shown} must contain an object.`);
  }
  return {
    url: shown,
    card: card as unknown as ServerCard,
    findings: [...findings, ...checkServerCard(card)],
  };
}

/** A text that quotes a URL, without its user and password. */
function withoutUser(text: string, { password, username }: URL): string {
  const user = password === "" ? username : `${username}:${password}`;
  return user === "" ? text : text.replaceAll(`${user}@`, "");
}

/** Checks a server card by the rules of its schema, and returns all problems. */
export function checkServerCard(card: unknown): readonly Finding[] {
  return schemaFindings(serverCardSchema, card);
}

function headerFindings(headers: Headers): readonly Finding[] {
  const type = headers.get("Content-Type")?.split(";")[0]?.trim();
  const missing: readonly (readonly [string, boolean, string])[] = [
    ["Content-Type", type !== serverCardType, `must be ${serverCardType}; got ${type ?? "nothing"}`],
    [
      "Access-Control-Allow-Origin",
      headers.get("Access-Control-Allow-Origin") !== "*",
      "must be *, for clients in browsers",
    ],
    ["ETag", headers.get("ETag") === null, "is missing"],
    ["Cache-Control", headers.get("Cache-Control") === null, "is missing"],
  ];
  return missing
    .filter(([, isWrong]) => isWrong)
    .map(([name, , message]) => ({
      path: `header ${name}`,
      message,
      ...(name === "ETag" || name === "Cache-Control" ? { severity: "warning" as const } : {}),
    }));
}

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  for await (const chunk of body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > maxCardBytes) {
      throw new Error(`it is longer than ${maxCardBytes} bytes`);
    }
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return text + decoder.decode();
}
