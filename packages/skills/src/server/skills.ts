import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import {
  blobResource,
  defineServerExtension,
  textResource,
  type Server,
  type ServerExtension,
} from "@tenon/mcp";
import type { BlobResourceContents, Resource, TextResourceContents } from "@tenon/protocol";

import type { SkillEntry } from "../wire/entry.ts";
import { extension, getSkill, listSkills, readDirectory } from "../wire/messages.ts";
import type { SkillCatalog } from "./catalog.ts";
import { pageAfter } from "./page.ts";
import type { ServedFile } from "./skill.ts";

/** Options of {@link skills}. */
export interface SkillsOptions {
  /** Maximum number of entries per page. Default: `100`. */
  readonly pageSize?: number | undefined;
}

/**
 * Serves the skills of a catalog: their entries, their folders, and their files as resources. When
 * the catalog is replaced, clients are notified that the list of resources has changed.
 *
 * @example server.use(skills(await createSkillCatalog(await loadSkills("./skills"))));
 * @source SEP-2640
 */
export function skills(catalog: SkillCatalog, { pageSize = 100 }: SkillsOptions = {}): ServerExtension {
  if (!Number.isSafeInteger(pageSize) || pageSize < 1) {
    throw new RangeError(`pageSize must be a whole number above 0; got ${pageSize}.`);
  }
  return defineServerExtension({
    id: extension,
    setup: (server) => {
      server.addMethod(listSkills, ({ cursor }) => {
        const { items, nextCursor } = pageAfter(catalog.entries, cursor, pageSize);
        return { skills: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
      });
      server.addMethod(getSkill, ({ uri }) => {
        const skill = typeof uri === "string" ? catalog.entry(uri) : undefined;
        return { skill: skill ?? refuse("skill", uri) };
      });
      server.addMethod(readDirectory, ({ uri, cursor }) => {
        const folder = typeof uri === "string" ? catalog.folder(uri) : undefined;
        const { items, nextCursor } = pageAfter(folder ?? refuse("folder", uri), cursor, pageSize);
        return { resources: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
      });
      server.addResourceTemplate(
        {
          uriTemplate: "skill://{+path}",
          name: "skill-files",
          description: "The files of the skills of this server.",
          list: () => catalog.entries.map(manifestResource),
        },
        ({ uri }) => {
          const file = catalog.file(uri);
          return file && contentOf(file);
        },
      );
      announceTo(new WeakRef(server), catalog);
      return { directoryRead: true };
    },
  });
}

/**
 * Announces changes to a server for as long as it is used, because a catalog may outlive servers.
 */
function announceTo(server: WeakRef<Server>, catalog: SkillCatalog): void {
  const end = catalog.onReplaced(() => {
    const alive = server.deref();
    if (alive === undefined) {
      end();
    } else {
      alive.resourcesChanged();
    }
  });
}

function manifestResource({ uri, frontmatter, resources }: SkillEntry): Resource {
  const { name, description } = frontmatter;
  const file = resources === "dynamic" ? undefined : resources.find((each) => each.uri === uri);
  return {
    uri,
    name,
    description,
    mimeType: "text/markdown",
    ...(file === undefined ? {} : { size: file.size }),
  };
}

function contentOf({ uri, bytes, mimeType }: ServedFile): TextResourceContents | BlobResourceContents {
  try {
    // Clients verify the bytes, so a byte order mark must stay.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return textResource(uri, text, mimeType);
  } catch {
    return blobResource(uri, bytes, mimeType);
  }
}

function refuse(kind: string, uri: unknown): never {
  const name = JSON.stringify(typeof uri === "string" ? uri.slice(0, 200) : uri);
  throw new RpcError(ErrorCode.InvalidParams, `Unknown ${kind}: ${name}`);
}
