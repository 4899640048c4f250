import { AsyncLocalStorage } from "node:async_hooks";

import type { FetchFunction } from "@tenon/auth/server";
import { isRecord, unlessAborted } from "@tenon/base";

import type { Vault } from "../store/vault.ts";
import { isSafeRedirect } from "./redirect-uris.ts";
import { withType } from "./registration.ts";

/** The parts of {@link Documents}. */
export interface DocumentsParts {
  readonly vault: Vault;
  readonly fetch: FetchFunction;
  /** Whether another document may be fetched now. */
  readonly mayFetch: (url: string, address: string | undefined, isKnown: boolean) => Promise<boolean>;
  /** How long a client is known after its last use. */
  readonly knownTtlMs: number;
}

/** The metadata documents and the keys of clients. */
export interface Documents {
  /** Fetches a document at most once a minute, even if this fails. */
  readonly fetch: FetchFunction;
  /** Runs a request of a sender. `isRefused` if the limits refused a document. */
  within<T>(
    address: string | undefined,
    run: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly isRefused: boolean }>;
  /** Keeps the documents of a client that a user has allowed. */
  keep(clientId: string): Promise<void>;
}

/** The response with a document. */
interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** A document of a client that a user has allowed, with its text once it was fetched. */
interface KeptDocument {
  readonly text?: string | undefined;
  readonly at: number;
}

/** How long a document is not fetched again: 1 minute. */
const freshMs = 60_000;
/** How long the last good document replaces one that cannot be fetched: 7 days. */
const staleMs = 604_800_000;
/** Maximum number of documents in memory. The oldest is dropped. */
const maxDocuments = 200;
/** Maximum size of a document of a client. */
const maxDocumentBytes = 16_384;

/** Creates the documents of clients. */
export function createDocuments({ vault, fetch, mayFetch, knownTtlMs }: DocumentsParts): Documents {
  const senders = new AsyncLocalStorage<{ readonly address: string | undefined; isRefused: boolean }>();
  const recent = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>();

  function recentOf(url: string): Promise<Answer> | undefined {
    const found = recent.get(url);
    return found !== undefined && Date.now() - found.at < freshMs ? found.answer : undefined;
  }

  async function load(url: string, init: RequestInit, kept: KeptDocument | undefined): Promise<Answer> {
    const last = lastGood(kept);
    let answer: Answer;
    try {
      // A `fetchDocument` of the operator may ignore its signal, and strangers name slow hosts.
      answer = await unlessAborted(fetch(url, init).then(read), init.signal ?? undefined);
    } catch (error) {
      if (last !== undefined) {
        return last;
      }
      throw error;
    }
    const isGood = isDocument(answer);
    if (isGood && kept !== undefined) {
      await vault.update<KeptDocument>("document", url, (before) =>
        before === undefined
          ? "keep"
          : { value: { text: answer.text, at: Date.now() }, expiresAt: Date.now() + knownTtlMs },
      );
      await keepKeys(url, answer.text);
    }
    const isPassing = answer.status >= 500 || answer.status === 429 || (answer.status === 200 && !isGood);
    return last !== undefined && isPassing ? last : answer;
  }

  function begin(url: string, init: RequestInit, kept: KeptDocument | undefined): Promise<Answer> {
    const [oldest] = recent.size >= maxDocuments ? recent.keys() : [];
    if (oldest !== undefined) {
      recent.delete(oldest);
    }
    const answer = load(url, init, kept);
    recent.delete(url);
    recent.set(url, { at: Date.now(), answer });
    return answer;
  }

  async function find(url: string, init: RequestInit): Promise<Answer> {
    const before = recentOf(url);
    if (before !== undefined) {
      return before;
    }
    const kept = (await vault.get<KeptDocument>("document", url))?.value;
    if (kept?.text !== undefined && Date.now() - kept.at < freshMs) {
      return answerOf(kept.text);
    }
    const sender = senders.getStore();
    const isAllowed = await mayFetch(url, sender?.address, kept !== undefined);
    // Another request may have been faster.
    const now = recentOf(url) ?? (isAllowed ? undefined : lastGood(kept));
    if (now !== undefined || isAllowed) {
      return now ?? begin(url, init, kept);
    }
    if (sender !== undefined) {
      sender.isRefused = true;
    }
    throw new TypeError("Too many documents of clients are fetched at a time.");
  }

  async function keepOne(url: string, now: KeptDocument | undefined): Promise<void> {
    await vault.update<KeptDocument>("document", url, (before) => ({
      value: now ?? before?.value ?? { at: 0 },
      expiresAt: Date.now() + knownTtlMs,
    }));
  }

  /** The keys of a known client are known, too. */
  async function keepKeys(url: string, text: string): Promise<void> {
    const document = parsed(text);
    const keys = isRecord(document) ? document["jwks_uri"] : undefined;
    await (typeof keys === "string" && keys !== url ? keepOne(keys, undefined) : undefined);
  }

  return {
    async fetch(url, init) {
      const { status, headers, text } = await find(url, init);
      const fields = headers.map(([name, value]): [string, string] => [name, value]);
      return new Response(status === 200 ? text : null, { status, headers: fields });
    },
    async within(address, run) {
      const sender = { address, isRefused: false };
      const result = await senders.run(sender, run);
      return { result, isRefused: sender.isRefused };
    },
    async keep(clientId) {
      if (!clientId.startsWith("https://")) {
        return;
      }
      const found = recent.get(clientId);
      const answer = await found?.answer.catch(() => undefined);
      if (found === undefined || answer === undefined || !isDocument(answer)) {
        return keepOne(clientId, undefined);
      }
      await keepOne(clientId, { text: answer.text, at: found.at });
      await keepKeys(clientId, answer.text);
    },
  };
}

/** Whether a response is JSON. A host under repair may send a page with the status 200. */
function isDocument({ status, headers, text }: Answer): boolean {
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? "";
  return status === 200 && /^application\/(?:[\w.-]+\+)?json\b/i.test(type) && isRecord(parsed(text));
}

function answerOf(text: string): Answer {
  return { status: 200, headers: [["content-type", "application/json"]], text };
}

function lastGood(kept: KeptDocument | undefined): Answer | undefined {
  return kept?.text !== undefined && Date.now() - kept.at < staleMs ? answerOf(kept.text) : undefined;
}

/**
 * Reads the document of a client as a registration is read: a client whose redirect URIs are all on
 * the user's computer may use any port there.
 */
async function read(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const kept = ["content-type", "cache-control", "expires"].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  if (status !== 200) {
    await response.body?.cancel();
    return { status, headers: kept, text: "" };
  }
  const text = await limited(response);
  const document = parsed(text);
  const redirects = isRecord(document) ? document["redirect_uris"] : undefined;
  const isReadable =
    isRecord(document) && Array.isArray(redirects) && redirects.every((uri) => isSafeRedirect(String(uri)));
  return {
    status,
    headers: kept,
    text: isReadable ? JSON.stringify(withType(document, redirects as readonly string[])) : text,
  };
}

/** @throws `TypeError` for a document that is too large. */
async function limited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxDocumentBytes) {
      throw new TypeError(`The document of a client must be of at most ${maxDocumentBytes} bytes; got more.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
