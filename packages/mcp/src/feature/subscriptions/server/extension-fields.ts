import type { FilterField } from "../../../request/server/extension.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { Listen } from "./listens.ts";

/** A field of the filter of `subscriptions/listen` that belongs to an extension. */
export interface ExtensionField extends FilterField {
  /** @throws `RpcError` if the client of the request has not declared the extension. */
  require(request: InnerServerRequest): void;
}

/** The fields of extensions, and who listens to what. */
export interface ExtensionFields {
  readonly fields: Map<string, ExtensionField>;
  /** By field and value, as {@link listenKey} joins them. */
  readonly listening: Map<string, Set<Listen>>;
}

/** The key of a value in {@link ExtensionFields.listening}. */
export function listenKey(field: string, value: string): string {
  return `${field} ${value}`;
}
