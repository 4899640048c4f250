/** The part of `oidc-provider` that the broker uses. The package has no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export class Provider {
    constructor(issuer: string, configuration: object);
    proxy: boolean;
    readonly Client: ModelOf<OidcClient>;
    readonly Grant: GrantConstructor;
    readonly Interaction: ModelOf<OidcInteraction>;
    readonly DeviceCode: DeviceCodes;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    use(middleware: (context: OidcContext, next: () => Promise<void>) => Promise<void>): void;
    on(event: string, listener: (context: OidcContext, error: unknown) => void): void;
  }

  export interface ModelOf<T> {
    find(id: string): Promise<T | undefined>;
  }

  export interface OidcClient {
    readonly clientId: string;
    readonly clientName?: string;
    readonly clientUri?: string;
    readonly redirectUris?: readonly string[];
    readonly clientAuthMethod?: string;
    readonly clientIdMetadataDocument?: boolean;
    grantTypeAllowed(type: string): boolean;
  }

  export interface OidcInteraction {
    readonly uid: string;
    readonly exp: number;
    readonly params: Readonly<Record<string, unknown>>;
    readonly deviceCode?: string;
    result?: unknown;
    save(seconds: number): Promise<string>;
    destroy(): Promise<void>;
  }

  export interface OidcDeviceCode {
    readonly jti: string;
    readonly clientId: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly accountId?: string;
    readonly error?: string;
    save(): Promise<string>;
  }

  export interface DeviceCodes {
    find(id: string, options: object): Promise<OidcDeviceCode | undefined>;
    findByUserCode(code: string): Promise<OidcDeviceCode | undefined>;
  }

  export interface OidcGrant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(seconds?: number): Promise<string>;
  }

  export interface GrantConstructor extends ModelOf<OidcGrant> {
    new (properties: { readonly accountId: string; readonly clientId: string }): OidcGrant;
  }

  export interface OidcContext {
    status: number;
    body: unknown;
    type: string;
    readonly path: string;
    readonly response: { remove(name: string): void };
    readonly oidc: {
      readonly result?: { readonly consent?: unknown };
      readonly client?: OidcClient;
      readonly entities: { readonly RefreshToken?: { readonly grantId: string } };
      readonly route: string;
    };
  }

  export const errors: OidcErrors;
  export interface OidcErrors {
    readonly InvalidGrant: new (detail: string) => Error;
    readonly InvalidTarget: new (description?: string) => Error;
    readonly TemporarilyUnavailable: new (description: string) => Error;
  }

  export const interactionPolicy: Policies;
  export interface Policies {
    readonly Prompt: new (options: object, ...checks: readonly object[]) => object;
    readonly Check: new (
      reason: string,
      description: string,
      check: (context: OidcContext) => boolean,
    ) => object;
    base(): Policy;
  }
  export interface Policy {
    clear(): void;
    add(prompt: object): void;
  }
}
