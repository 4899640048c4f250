import { anySignal, isRecord, timeLimit, unlessAborted } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { ServerRequest } from "@tenon/mcp/server";

import { skillMethods } from "../source/connected-skills.ts";
import { offersOf, type SourceFeature } from "../source/source-feature.ts";
import type { ReceivedParams } from "../source/source.ts";
import { createKeptLists } from "./kept-lists.ts";
import type { Part } from "./part.ts";

/** The dependencies of the skills of all parts. */
export interface MergedSkillsSetup {
  readonly parts: () => readonly Part[];
  /** The parts that may have a URI, and the URI there. */
  readonly candidatesFor: (uri: string) => readonly { readonly part: Part; readonly own: string }[];
  /** How long a list is waited for, in milliseconds. */
  readonly listTimeoutMs: number;
  /** Called with a part whose skills cannot be listed. */
  readonly onFailure: (part: Part, error: unknown) => void;
  /** The error of a part for the caller. It is reported. */
  readonly failureOf: (part: Part, error: unknown) => RpcError;
}

/** Maximum number of entries of one part. */
const maxEntries = 10_000;
/** Maximum number of pages of one part. */
const maxPages = 1000;
const pageSize = 100;
/** The index of the first entry of a page, and the id of its list. */
const cursorPattern = /^(\d{1,9})\.([\w-]{1,64})$/;

/** The skills of all parts, with the URIs for clients. */
export function mergedSkills(setup: MergedSkillsSetup): SourceFeature {
  const { parts, candidatesFor, listTimeoutMs, onFailure, failureOf } = setup;
  const kept = createKeptLists();

  async function entriesOf(part: Part, request: ServerRequest): Promise<readonly unknown[]> {
    const limit = timeLimit(listTimeoutMs);
    const signal = anySignal([request.signal, limit.signal]);
    try {
      const all = part.shares.run(request, () => allPages(part, request, signal));
      return await unlessAborted(Promise.resolve(all as Promise<readonly unknown[]>), signal);
    } catch (error) {
      request.signal.throwIfAborted();
      if (part.source.skills?.offers("modern") === false) {
        // It was not connected before, so it was not known that it has none.
        return [];
      }
      onFailure(part, error);
      return [];
    } finally {
      limit.end();
    }
  }

  async function gathered(request: ServerRequest): Promise<readonly unknown[]> {
    const offering = parts().filter(({ source }) => offersOf([source.skills], "modern") !== false);
    return (await Promise.all(offering.map((part) => entriesOf(part, request)))).flat();
  }

  async function list(request: ServerRequest, cursor: unknown): Promise<object> {
    const [, first, id = ""] = cursorPattern.exec(String(cursor)) ?? [];
    const start = cursor === undefined ? 0 : Number(first);
    const known = kept.get(id, request);
    const all = known ?? (await gathered(request));
    if (!(start <= all.length)) {
      throw new RpcError(ErrorCode.InvalidParams, "Unknown cursor: start again without a cursor.");
    }
    const end = start + pageSize;
    return {
      skills: all.slice(start, end),
      ...(end < all.length
        ? { nextCursor: `${end}.${known === undefined ? kept.add(all, request) : id}` }
        : {}),
    };
  }

  return {
    offers: (era) =>
      offersOf(
        parts().map(({ source }) => source.skills),
        era,
      ),
    async request(request, method, params) {
      if (method === "skills/list") {
        return list(request, params["cursor"]);
      }
      const uri = String(params["uri"]);
      let failure = new RpcError(ErrorCode.InvalidParams, `Unknown skill: ${uri.slice(0, 200)}`);
      for (const { part, own } of candidatesFor(uri)) {
        const { skills } = part.source;
        try {
          const found = await part.shares.run(request, () =>
            skills?.request(request, method, { ...params, uri: own }),
          );
          if (isRecord(found)) {
            return withUris(found, part);
          }
        } catch (error) {
          request.signal.throwIfAborted();
          failure = failureOf(part, error);
        }
      }
      throw failure;
    },
  };
}

/** All entries of a part. One that never ends its pages is cut off. @throws `signal.reason`. */
async function allPages(
  part: Part,
  request: ServerRequest,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const entries: unknown[] = [];
  const { paged = "" } = skillMethods.get("skills/list") ?? {};
  let cursor: unknown;
  const seen = new Set<unknown>();
  for (let page = 0; page < maxPages && entries.length < maxEntries && !seen.has(cursor); page++) {
    signal.throwIfAborted();
    seen.add(cursor);
    const params = cursor === undefined ? {} : { cursor };
    const result = (await part.source.skills?.request(
      request,
      "skills/list",
      params,
      signal,
    )) as ReceivedParams;
    const own: unknown = result[paged];
    entries.push(...(Array.isArray(own) ? own.map((entry) => withUris(entry, part)) : []));
    cursor = result["nextCursor"];
    if (cursor === undefined) {
      break;
    }
  }
  return entries.slice(0, maxEntries);
}

/** An entry, a file or a folder with the URIs for clients. */
function withUris(value: unknown, part: Part): unknown {
  if (Array.isArray(value)) {
    return value.map((one) => withUris(one, part));
  }
  if (!isRecord(value)) {
    return value;
  }
  const { uri, resources, skill } = value;
  return {
    ...value,
    ...(typeof uri === "string" ? { uri: part.uris.outward(uri) } : {}),
    ...(resources === undefined ? {} : { resources: withUris(resources, part) }),
    ...(skill === undefined ? {} : { skill: withUris(skill, part) }),
  };
}
