import type { ViewCsp } from "./csp.ts";
import type { ViewPermission } from "./permissions.ts";

/** The kinds of content that a host accepts. */
export interface ContentKinds {
  readonly text?: object | undefined;
  readonly image?: object | undefined;
  readonly audio?: object | undefined;
  readonly resource?: object | undefined;
  readonly resourceLink?: object | undefined;
  readonly structuredContent?: object | undefined;
}

/** The capabilities of a host. A property that is missing is not supported. */
export interface HostCapabilities {
  readonly experimental?: Readonly<Record<string, object>> | undefined;
  readonly openLinks?: object | undefined;
  readonly downloadFile?: object | undefined;
  /** Calls tools of the server of the view. */
  readonly serverTools?: { readonly listChanged?: boolean | undefined } | undefined;
  /** Reads resources of the server of the view. */
  readonly serverResources?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly logging?: object | undefined;
  /** The origins and permissions that the view has. */
  readonly sandbox?:
    | {
        readonly permissions?: Readonly<Partial<Record<ViewPermission, object>>> | undefined;
        readonly csp?: ViewCsp | undefined;
      }
    | undefined;
  readonly updateModelContext?: ContentKinds | undefined;
  readonly message?: ContentKinds | undefined;
  readonly sampling?: { readonly tools?: object | undefined } | undefined;
}
