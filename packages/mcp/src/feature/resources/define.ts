import type { Annotations, Icon, Resource } from "@tenon/protocol";
import type { VariableName, Variables } from "@tenon/uri-template";

import type { RequestContext } from "../../request/server/context.ts";
import type { CacheHints } from "../cache/define.ts";
import type { Completers } from "../completion/define.ts";
import type { ResourceReturn } from "./server/contents.ts";

/** The common properties of resources and templates. */
interface Described {
  /** For code; shown to people only if there is no title. */
  readonly name: string;
  /** For people to read. */
  readonly title?: string | undefined;
  /** The description of the content, written so that a model can judge its use. */
  readonly description?: string | undefined;
  /** Media type of the contents; filled in where the handler says none. */
  readonly mimeType?: string | undefined;
  readonly annotations?: Annotations | undefined;
  readonly icons?: Icon[] | undefined;
  /** Caching hints of its contents. Default: the server's. */
  readonly cache?: CacheHints | undefined;
  readonly _meta?: Record<string, unknown> | undefined;
}

/** One resource. */
export interface ResourceDefinition extends Described {
  /** An absolute URI, unique in its server. */
  readonly uri: string;
  /** Length in bytes, before base64. */
  readonly size?: number | undefined;
}

/** A family of resources. @typeParam T - The template, for typing the variables. */
export interface ResourceTemplateDefinition<T extends string = string> extends Described {
  /** RFC 6570, all four levels. Unique in its server. */
  readonly uriTemplate: T;
  /** Suggestions for the variables. */
  readonly complete?: Completers<VariableName<T>> | undefined;
  /**
   * Returns resources of the template, which `resources/list` returns after the server's own,
   * sorted by URI and in pages. Called for every page, so keep it cheap. A missing `mimeType` is
   * filled in from the template. If it throws, the request fails. Notify changes by
   * `resourcesChanged`. By default the template lists no resources.
   */
  readonly list?: ResourceLister | undefined;
}

/** Lists the resources of a template, each with at least a `uri` and a `name`. */
export type ResourceLister = (context: RequestContext) => readonly Resource[] | Promise<readonly Resource[]>;

/** A request to read a resource. @typeParam V - The variables of the template. */
export interface ResourceRequest<V = Readonly<Record<string, never>>> {
  /**
   * As the client wrote it. Of a template only its shape is known: check it before it becomes a
   * path or a query.
   */
  readonly uri: string;
  /**
   * The values of the template's variables, percent-decoded; `{}` for a resource without a
   * template.
   */
  readonly variables: V;
}

/**
 * Reads a resource. A thrown `RpcError` becomes the error response; any other error becomes
 * `-32603` without details.
 */
export type ResourceHandler<V = Readonly<Record<string, never>>> = (
  request: ResourceRequest<V>,
  context: RequestContext,
) => ResourceReturn | Promise<ResourceReturn>;

/** The handler of a template: its variables are typed by the template. */
export type ResourceTemplateHandler<T extends string> = ResourceHandler<Variables<T>>;
