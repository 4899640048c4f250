import type { FetchLike } from "@tenon/http/client";
import type { RequestContext } from "@tenon/mcp";

import type { Credentials } from "./credentials/credentials.ts";
import type { OpenApiLimits } from "./limits.ts";

/** An operation of a document, for decisions about it. */
export interface OperationInfo {
  /** `operationId`. */
  readonly id: string | undefined;
  /** The name that its tool gets by default. */
  readonly name: string;
  /** In upper case. */
  readonly method: string;
  /** As in the document, such as `/pets/{petId}`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary: string | undefined;
  readonly isDeprecated: boolean;
}

/** An operation in other words than in its document. */
export interface Offer {
  /** Default: `"tool"`. */
  readonly as?: "tool" | "resource" | undefined;
  /** Default: the name of {@link OperationInfo}. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** The place of the next page in a response. */
export interface Paging {
  /** A JSON pointer to the cursor or number of the next page, such as `/meta/next_cursor`. */
  readonly next: string;
  /** The argument that takes it. */
  readonly argument: string;
}

/** Options of {@link openapi}. */
export interface OpenApiOptions {
  /**
   * The URL of the API, with its base path. It takes the place of all servers of the document, and
   * its address may be private. Default: the first server of the document.
   */
  readonly server?: string | URL | undefined;
  /** Values for the variables of the document's server. Default: the defaults of the document. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /**
   * Further origins that operations with their own servers may use, such as
   * `https://uploads.example.com`. They get the credentials, too. By default these operations are
   * left out.
   */
  readonly origins?: readonly string[] | undefined;
  /** The start of all names, such as `github_`. Default: `""`. */
  readonly prefix?: string | undefined;
  /**
   * Decides how an operation is offered: `"tool"`, `"resource"` for a `GET` without a body, `false`
   * for not at all, or an {@link Offer}. By default every operation is a tool.
   */
  readonly offer?: ((operation: OperationInfo) => "tool" | "resource" | false | Offer) | undefined;
  /** Credentials by the names of the document's security schemes. By default there are none. */
  readonly credentials?: Credentials | undefined;
  /**
   * Headers for every request, such as `user-agent`, or a function that returns them. They take
   * precedence over headers that the document describes. By default there are none.
   */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((
        context: RequestContext,
      ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  /**
   * Whether a response that does not match its schema is refused. With `"lenient"`, it is reported
   * to `onWarning` and returned, and the output schema of the tool accepts any other value besides
   * the documented one. Default: `"lenient"`.
   */
  readonly strictness?: "strict" | "lenient" | undefined;
  /** Whether tools have output schemas, which take room in lists. Default: `true`. */
  readonly outputSchemas?: boolean | undefined;
  /**
   * Returns where an operation names its next page. By default the header `Link` is read, as RFC
   * 8288 defines it.
   */
  readonly paging?: ((operation: OperationInfo) => Paging | undefined) | undefined;
  /**
   * Which other documents the document may refer to. `"none"`; `"beside"`: files in its folder and
   * below, or URLs of its origin; or a function that returns `true` for a URL. Default: `"beside"`.
   */
  readonly references?: "none" | "beside" | ((url: URL) => boolean) | undefined;
  /**
   * Sends the requests. By default the platform's HTTP client is used; for URLs that only the
   * document names, `publicFetch` of `@tenon/auth/node`, which refuses private addresses.
   */
  readonly fetch?: FetchLike | undefined;
  /** Limits of the document, of tools and of calls. Each limit has its own default. */
  readonly limits?: OpenApiLimits | undefined;
  /**
   * Called with problems that do not stop the program: operations that are left out, keywords that
   * are not valid, responses that do not match. By default warnings are dropped.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}
