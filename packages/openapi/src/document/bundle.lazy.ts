import { fileURLToPath, pathToFileURL } from "node:url";

import type { ResolvedLimits } from "@tenon/base";

import { isOpenApiError, OpenApiError } from "../error.ts";
import type { OpenApiLimits } from "../limits.ts";
import { measure } from "./measure.ts";
import { parseDocument } from "./parse.ts";
import type { DocumentReader } from "./reader.ts";

/** The document from which the others are reached. */
export interface Root {
  readonly document: Record<string, unknown>;
  readonly url: URL;
  /** How many values it has. */
  readonly values: number;
}

/**
 * Puts the documents that a document refers to into it, so that all references are local.
 *
 * @throws `OpenApiError`.
 */
export async function bundle(
  { document, url, values }: Root,
  reader: DocumentReader,
  limits: ResolvedLimits<OpenApiLimits>,
): Promise<Record<string, unknown>> {
  const { $RefParser } = await import("@apidevtools/json-schema-ref-parser");
  // The library hides the errors of readers in its own.
  let problem: OpenApiError | undefined;
  const noting = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      problem ??= isOpenApiError(error) ? error : undefined;
      throw error;
    }
  };
  const parser = new $RefParser();
  let valuesBefore = values;
  try {
    const bundled: unknown = await parser.bundle(
      addressOf(url),
      document as never,
      {
        resolve: {
          file: false,
          http: false,
          own: {
            order: 1,
            canRead: true,
            read: (file: { readonly url: string }) => noting(() => reader.read(urlOf(file.url))),
          },
        },
        parse: {
          json: false,
          yaml: false,
          text: false,
          binary: false,
          own: {
            order: 1,
            canParse: true,
            parse: (file: { readonly url: string; readonly data: unknown }) =>
              noting(() => {
                const name = reader.nameOf(urlOf(file.url));
                const parsed = parseDocument(String(file.data), name, limits);
                valuesBefore += measure(parsed, name, { ...limits, valuesBefore }).values;
                return parsed;
              }),
          },
        },
      } as never,
    );
    const result = bundled as Record<string, unknown>;
    measure(result, reader.nameOf(url), limits);
    return result;
  } catch (cause) {
    if (problem !== undefined) {
      throw problem;
    }
    const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new OpenApiError(
      "REFERENCE_FAILED",
      `${reader.nameOf(url)} has a reference that leads nowhere: ${reason.slice(0, 300)}`,
      { cause },
    );
  }
}

/** The library takes paths for files, and URLs for everything else. */
function addressOf(url: URL): string {
  return url.protocol === "file:" ? fileURLToPath(url) : url.href;
}

function urlOf(address: string): URL {
  return /^https?:/i.test(address) ? new URL(address) : pathToFileURL(address);
}
