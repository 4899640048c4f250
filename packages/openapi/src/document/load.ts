import { anySignal, isRecord, kindOf, timeLimit, type ResolvedLimits } from "@tenon/base";
import type { FetchLike } from "@tenon/http/client";

import { lengthInBytes } from "../bytes/bytes.ts";
import { OpenApiError } from "../error.ts";
import type { OpenApiLimits } from "../limits.ts";
import { measure } from "./measure.ts";
import { parseDocument } from "./parse.ts";
import { createReader } from "./reader.ts";

/** A document, its URL, its path, or its text. */
export type DocumentSource = object | URL | string;

/** Options of {@link loadDocument}. */
export interface Loading {
  readonly references: "none" | "beside" | ((url: URL) => boolean);
  readonly fetch: FetchLike | undefined;
  readonly limits: ResolvedLimits<OpenApiLimits>;
}

/** A document in one piece. */
export interface Loaded {
  readonly document: Record<string, unknown>;
  /** The URL of the document after redirects; `undefined` if it was passed as a value. */
  readonly url: URL | undefined;
}

/**
 * Reads a document, with the documents that it refers to and may refer to.
 *
 * @throws `OpenApiError`.
 */
export async function loadDocument(source: DocumentSource, loading: Loading): Promise<Loaded> {
  const { limits } = loading;
  const text = typeof source === "string" && /[\n{]/.test(source) ? source : undefined;
  if (text !== undefined || (isRecord(source) && !(source instanceof URL))) {
    if (text !== undefined && isLonger(text, limits.maxDocumentBytes)) {
      throw new OpenApiError("LIMIT", `Document exceeds the limit of ${limits.maxDocumentBytes} bytes.`);
    }
    const document =
      text === undefined ? (source as Record<string, unknown>) : parseDocument(text, "The document", limits);
    measure(document, "The document", limits);
    return { document, url: undefined };
  }
  if (typeof source !== "string" && !(source instanceof URL)) {
    throw new TypeError(`openapi needs a document, its URL, or its path; got ${kindOf(source)}.`);
  }
  const first = await urlOf(source);
  // After a failure, no other documents are read.
  const ended = new AbortController();
  const timeout = timeLimit(limits.documentTimeoutMs);
  const signal = anySignal([timeout.signal, ended.signal]);
  try {
    const reader = createReader(first, loading, signal);
    const content = await reader.read(first);
    // Relative servers and references are relative to it.
    const { root: url } = reader;
    const document = parseDocument(content, reader.nameOf(url), limits);
    const { external, values } = measure(document, reader.nameOf(url), limits);
    const isBundled = [...external].some((reference) => reader.mayRead(reference));
    if (!isBundled) {
      return { document, url };
    }
    const { bundle } = await import("./bundle.lazy.ts");
    return { document: await bundle({ document, url, values }, reader, limits), url };
  } finally {
    timeout.end();
    ended.abort();
  }
}

/** Whether a string exceeds a limit of bytes. A code unit has three bytes at most. */
function isLonger(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && lengthInBytes(text) > maxBytes);
}

async function urlOf(source: string | URL): Promise<URL> {
  if (source instanceof URL || /^(?:https?|file):\/\//i.test(source)) {
    const url = new URL(source);
    if (!/^(?:https?|file):$/.test(url.protocol)) {
      throw new OpenApiError(
        "DOCUMENT_UNREADABLE",
        `Documents are read by http, https and file; got ${url.protocol}`,
      );
    }
    return url;
  }
  const { pathToFileURL } = await import("node:url");
  return pathToFileURL(source);
}
