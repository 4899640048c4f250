import { isRecord, readLimits, type LimitRules } from "@tenon/base";
import type { ClientSession, RequestOptions } from "@tenon/mcp";
import type { Tool } from "@tenon/protocol";

import { cspFields, type ViewCsp } from "../wire/csp.ts";
import { AppError } from "../wire/error.ts";
import { viewType } from "../wire/names.ts";
import { isPermission, type ViewPermission } from "../wire/permissions.ts";
import { viewUriOf } from "../wire/tool-view.ts";
import { sourcesIn } from "./policy.ts";

/** A view as a host shows it. Its metadata has been checked. */
export interface LoadedView {
  readonly uri: string;
  /** The document, written by the server: show it in a sandbox only. */
  readonly html: string;
  /** The origins that the view may use: declared by the server, and allowed by `allowOrigin`. */
  readonly csp: ViewCsp;
  /** The permissions that the view has: requested by the server, and granted by the host. */
  readonly permissions: readonly ViewPermission[];
  /** The permissions that the server requests. */
  readonly requestedPermissions: readonly ViewPermission[];
  /** The origin that the server requests for its view, in the form that the host documents. */
  readonly domain: string | undefined;
  readonly prefersBorder: boolean | undefined;
}

/** Limits of {@link loadView}. */
export interface LoadViewLimits {
  /** Maximum size of a document in bytes. Default: `5_242_880` (5 MiB). */
  readonly maxHtmlBytes?: number | undefined;
}

/** Options of {@link loadView}. */
export interface LoadViewOptions extends RequestOptions {
  /** The permissions that the view gets if its server requests them. Default: `[]`. */
  readonly permissions?: readonly ViewPermission[] | undefined;
  /**
   * Returns whether the view may use an origin, such as `https://*.example.com`. By default it may
   * use every origin that its server declares.
   */
  readonly allowOrigin?: ((origin: string, field: keyof ViewCsp) => boolean) | undefined;
  /** Limits of the document. Each limit has its own default. */
  readonly limits?: LoadViewLimits | undefined;
}

const limitRules: LimitRules<LoadViewLimits> = { maxHtmlBytes: [5_242_880, 1] };

/**
 * Reads the view of a tool from its server. The metadata of the contents takes precedence over that
 * of the list of resources.
 *
 * @param tool - The tool, or the URI of a view.
 * @throws `AppError` `INVALID_VIEW` if the tool has no view, or the resource is not one; the errors
 *   of `session.readResource`.
 * @source SEP-1865
 */
export async function loadView(
  session: ClientSession,
  tool: Tool | string,
  { permissions = [], allowOrigin = () => true, limits, ...options }: LoadViewOptions = {},
): Promise<LoadedView> {
  const { maxHtmlBytes } = readLimits(limits, limitRules);
  const uri = typeof tool === "string" ? tool : viewUriOf(tool);
  if (uri?.startsWith("ui://") !== true) {
    const name = typeof tool === "string" ? `The URI ${tool.slice(0, 200)}` : `The tool ${tool.name}`;
    throw new AppError("INVALID_VIEW", `${name} must name a view, which begins with ui://.`);
  }
  const refuse = (problem: string, cause?: unknown): never => {
    throw new AppError("INVALID_VIEW", `The view ${uri.slice(0, 200)} is not valid: ${problem}`, { cause });
  };
  const { contents } = await session.readResource({ uri }, options);
  const content = contents.find((each) => each.uri === uri) ?? refuse("the server returned other resources.");
  const type = content.mimeType?.toLowerCase().replaceAll(/\s/g, "");
  if (type !== viewType) {
    refuse(`its type must be ${viewType}; got ${JSON.stringify(content.mimeType)?.slice(0, 200)}.`);
  }
  const bytes = "text" in content ? new TextEncoder().encode(content.text) : bytesOf(content.blob, refuse);
  if (bytes.length > maxHtmlBytes) {
    refuse(`it has ${bytes.length} bytes, above limits.maxHtmlBytes (${maxHtmlBytes}).`);
  }
  const meta = uiOf(content._meta) ?? uiOf(await listedMeta(session, uri, options)) ?? {};
  const requested = isRecord(meta["permissions"])
    ? Object.keys(meta["permissions"]).filter(isPermission)
    : [];
  return {
    uri,
    html: "text" in content ? content.text : new TextDecoder().decode(bytes),
    csp: allowedCsp(meta["csp"], allowOrigin),
    permissions: requested.filter((permission) => permissions.includes(permission)),
    requestedPermissions: requested,
    domain: typeof meta["domain"] === "string" ? meta["domain"] : undefined,
    prefersBorder: typeof meta["prefersBorder"] === "boolean" ? meta["prefersBorder"] : undefined,
  };
}

function bytesOf(blob: unknown, refuse: (problem: string, cause?: unknown) => never): Uint8Array {
  try {
    return Uint8Array.from(atob(blob as string), (character) => character.charCodeAt(0));
  } catch (error) {
    return refuse("its blob must be base64.", error);
  }
}

function uiOf(meta: unknown): Record<string, unknown> | undefined {
  const ui: unknown = isRecord(meta) ? meta["ui"] : undefined;
  return isRecord(ui) ? ui : undefined;
}

async function listedMeta(session: ClientSession, uri: string, options: RequestOptions): Promise<unknown> {
  for await (const resource of session.resources(options)) {
    if (resource.uri === uri) {
      return resource._meta;
    }
  }
  return undefined;
}

function allowedCsp(
  declared: unknown,
  allowOrigin: (origin: string, field: keyof ViewCsp) => boolean,
): ViewCsp {
  const csp = isRecord(declared) ? declared : {};
  return Object.fromEntries(
    cspFields
      .map((field) => [field, sourcesIn(csp[field]).filter((origin) => allowOrigin(origin, field))] as const)
      .filter(([, sources]) => sources.length > 0),
  );
}
