import { environmentFetch, placeOf, type FetchLike } from "@tenon/http/client";

import { concat } from "../bytes/bytes.ts";
import { decodeText, readBytes } from "../bytes/read.ts";
import { OpenApiError } from "../error.ts";
import type { Loading } from "./load.ts";

/** Reads the documents of a source, within their common limits. */
export interface DocumentReader {
  /** The URL of the first document. After it was read, the URL to which redirects have led. */
  readonly root: URL;
  /** Reads a document. @throws `OpenApiError`. */
  read(url: URL): Promise<string>;
  /** Whether a reference of the first document may be followed. */
  mayRead(reference: string): boolean;
  /** The name of a document for people, without what may be secret. */
  nameOf(url: URL): string;
}

const maxRedirects = 5;

/** How many documents are read at a time: each takes a connection or an open file. */
const maxReading = 16;

/** @param first - The document from which the others are reached. It may be read in any case. */
export function createReader(
  first: URL,
  { references, fetch, limits }: Loading,
  signal: AbortSignal,
): DocumentReader {
  let root = first;
  const folder = new URL(".", first).href;
  let documents = -1;
  let bytes = 0;
  const lanes: Promise<string>[] = [];

  const isBeside = (url: URL): boolean =>
    root.protocol === "file:" ? url.href.startsWith(folder) : url.origin === root.origin;
  const isAllowed = (url: URL): boolean =>
    typeof references === "function" ? references(url) : references === "beside" && isBeside(url);
  const nameOf = (url: URL): string =>
    url.protocol === "file:" ? decodeURIComponent(url.pathname) : placeOf(url);

  async function read(url: URL): Promise<string> {
    const isRoot = url.href === root.href;
    if (!isRoot && !isAllowed(url)) {
      throw new OpenApiError(
        "REFERENCE_REFUSED",
        `${nameOf(root)} refers to ${nameOf(url)}, which is in another place. If you trust it, allow it by the option references.`,
      );
    }
    documents++;
    if (documents > limits.maxDocuments) {
      throw new OpenApiError(
        "LIMIT",
        `${nameOf(root)} refers to more than ${limits.maxDocuments} documents. If you trust it, raise limits.maxDocuments.`,
      );
    }
    const lane = documents % maxReading;
    const reading = (lanes[lane] ?? Promise.resolve()).then(() => readNow(url));
    lanes[lane] = reading;
    return reading;
  }

  async function readNow(url: URL): Promise<string> {
    const isRoot = url.href === root.href;
    const within = isRoot || typeof references === "function" ? undefined : folder;
    // Others are read at the same time, so each byte is counted when it arrives.
    const take = (count: number): void => {
      signal.throwIfAborted();
      bytes += count;
      if (bytes > limits.maxDocumentBytes) {
        throw new OpenApiError(
          "LIMIT",
          `${isRoot ? `${nameOf(url)} has` : `The documents up to ${nameOf(url)} have`} more than ${limits.maxDocumentBytes} bytes. If you trust them, raise limits.maxDocumentBytes.`,
        );
      }
    };
    try {
      signal.throwIfAborted();
      if (url.protocol === "file:") {
        return await readLocal(url, { within, take });
      }
      const remote = await readRemote(url, await fetchFor(url), take, signal);
      root = isRoot ? remote.url : root;
      return remote.text;
    } catch (cause) {
      if (cause instanceof OpenApiError) {
        throw cause;
      }
      const why = signal.aborted
        ? `it did not arrive within ${limits.documentTimeoutMs} ms`
        : cause instanceof Error
          ? cause.message
          : String(cause);
      throw new OpenApiError(
        isRoot ? "DOCUMENT_UNREADABLE" : "REFERENCE_FAILED",
        `${nameOf(url)} cannot be read: ${why}`,
        {
          cause,
        },
      );
    }
  }

  /** The program may name any address, and a document only public addresses. */
  async function fetchFor(url: URL): Promise<FetchLike> {
    if (fetch !== undefined) {
      return fetch;
    }
    if (root.protocol !== "file:" && url.origin === root.origin) {
      return environmentFetch;
    }
    const { publicFetch } = await import("@tenon/auth/node");
    return publicFetch();
  }

  return {
    get root() {
      return root;
    },
    read,
    nameOf,
    mayRead(reference) {
      const [path = ""] = reference.split("#");
      return URL.canParse(path, root.href) && isAllowed(new URL(path, root));
    },
  };
}

/** Reads a file, which must be in the folder `within` if there is one. */
async function readLocal(
  url: URL,
  { within, take }: { readonly within: string | undefined; readonly take: (count: number) => void },
): Promise<string> {
  const [{ open, realpath }, { fileURLToPath, pathToFileURL }] = await Promise.all([
    import("node:fs/promises"),
    import("node:url"),
  ]);
  const path = await realpath(fileURLToPath(url));
  const base = within === undefined ? undefined : await realpath(fileURLToPath(within));
  // A link in the folder may lead out of it.
  if (base !== undefined && !pathToFileURL(path).href.startsWith(`${pathToFileURL(base).href}/`)) {
    throw new OpenApiError(
      "REFERENCE_REFUSED",
      `${fileURLToPath(url)} leads out of the folder of the document.`,
    );
  }
  const file = await open(path, "r");
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      take((chunk as Uint8Array).length);
      chunks.push(chunk as Uint8Array);
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(concat(chunks));
  } finally {
    await file.close();
  }
}

async function readRemote(
  first: URL,
  fetch: FetchLike,
  take: (count: number) => void,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly url: URL }> {
  let url = first;
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await fetch(url, {
      headers: { accept: "application/json, application/yaml, text/yaml, */*;q=0.5" },
      redirect: "manual",
      signal,
    });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) {
      if (!response.ok) {
        throw new Error(`the status is ${response.status}.`);
      }
      const { bytes } = await readBytes(response, Infinity, take);
      return { text: decodeText(bytes, response.headers.get("content-type") ?? ""), url };
    }
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    const isSame = next?.host === url.host && !(url.protocol === "https:" && next.protocol !== "https:");
    if (next === undefined || !isSame) {
      throw new Error("it redirects to another origin. Name that URL instead.");
    }
    await response.body?.cancel();
    url = next;
  }
  throw new Error(`it redirects more than ${maxRedirects} times.`);
}
