import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import type { LimitRules } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { Root } from "@tenon/protocol";

import { checkOptionNames } from "../assemble/option-names.ts";
import { limitsOf } from "../base/limits.ts";
import type { PartialContents } from "../feature/resources/server/contents.ts";
import type { RequestContext } from "../request/server/context.ts";
import { isInside, segmentsOf } from "./file-path.ts";
import { mimeTypeOf } from "./mime-type.ts";
import { readInside } from "./read-inside.ts";

/** Options of {@link fileResourceHandler}. */
export interface FileResourceOptions {
  /**
   * The directory that is served. `file:///a/b.txt` is `a/b.txt` in it. It may be a symbolic link
   * itself.
   */
  readonly dir: string;
  /** Limits on the served files. Each limit has its own default. */
  readonly limits?: FileResourceLimits | undefined;
  /** Media types by file extension, without the dot, that go before the built-in ones. */
  readonly mimeTypes?: Readonly<Record<string, string>> | undefined;
  /**
   * The roots to which the served files are limited. `undefined` serves all of `dir`. Default: the
   * roots of the client, if it has the `roots` capability.
   */
  readonly roots?:
    | ((context: RequestContext) => Promise<readonly Pick<Root, "uri">[] | undefined>)
    | undefined;
}

/** Limits of {@link fileResourceHandler}. */
export interface FileResourceLimits {
  /**
   * Maximum size of a file in bytes. A request for a larger file is rejected with `-32602`.
   * Default: `10_485_760` (10 MiB).
   */
  readonly maxFileBytes?: number | undefined;
}

const limitRules: LimitRules<FileResourceLimits> = { maxFileBytes: [10 * 1024 * 1024, 0] };

/** Reads the file that a URI names. */
export type FileResourceHandler = (
  request: { readonly uri: string },
  context: RequestContext,
) => Promise<PartialContents | undefined>;

/**
 * A handler of resources and resource templates that serves the files of a directory.
 *
 * Rejects `..` in any encoding, empty segments, separators and NUL that are percent-encoded, the
 * device names of Windows, names in a case that is not their own, symbolic links that lead out of
 * the directory, and everything that is not a regular file; and, if the client has roots, files
 * outside of them. The error is the same as for an unknown resource, so that it reveals nothing
 * about files outside. Text that is UTF-8 is sent as text, all else as base64.
 *
 * @example server.addResourceTemplate({ uriTemplate: "file:///{+path}", name: "files" }, fileResourceHandler({ dir: "public" }))
 *
 * @throws The handler throws `RpcError` `-32602` for a file larger than `limits.maxFileBytes`. The
 *   function itself throws `McpError` `INVALID_DEFINITION` for an option that does not exist or is
 *   out of range.
 * @source S-159, S-160, S-161
 */
export function fileResourceHandler(options: FileResourceOptions): FileResourceHandler {
  checkOptionNames("fileResourceHandler", options, "dir limits mimeTypes roots", limitRules);
  const { mimeTypes = {}, roots = clientRoots } = options;
  const { maxFileBytes: maxBytes } = limitsOf(options.limits, limitRules);
  const dir = resolve(options.dir);
  return async ({ uri }, context) => {
    const segments = segmentsOf(uri);
    if (segments === undefined) {
      return undefined;
    }
    const allowed = await roots(context);
    const base = await realpath(dir);
    const file = await readInside(base, segments, maxBytes);
    if (file === undefined || (allowed !== undefined && !(await isInRoots(file.path, allowed)))) {
      return undefined;
    }
    if (file.bytes === undefined) {
      const message = `Resource exceeds the limit of ${maxBytes} bytes`;
      throw new RpcError(ErrorCode.InvalidParams, message, { data: { uri } });
    }
    return contentsOf(file.bytes, mimeTypeOf(segments.at(-1) ?? "", mimeTypes));
  };
}

async function clientRoots(context: RequestContext): Promise<readonly Root[] | undefined> {
  return context.client.capabilities.roots === undefined ? undefined : context.listRoots();
}

/**
 * Returns whether a file is in one of the roots. Roots other than local directories contain no
 * file.
 */
async function isInRoots(path: string, roots: readonly Pick<Root, "uri">[]): Promise<boolean> {
  const folders = await Promise.all(
    roots.map(async ({ uri }) => {
      try {
        return await realpath(fileURLToPath(uri));
      } catch {
        return undefined;
      }
    }),
  );
  return folders.some((folder) => folder !== undefined && isInside(folder, path));
}

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function contentsOf(bytes: Uint8Array, mimeType: string | undefined): PartialContents {
  const type = mimeType === undefined ? {} : { mimeType };
  if (!bytes.includes(0)) {
    try {
      return { text: utf8.decode(bytes), ...type };
    } catch {
      // No text: sent as bytes.
    }
  }
  return { blob: Buffer.from(bytes).toString("base64"), ...type };
}
