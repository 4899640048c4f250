declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  /** The part of a request for a token that a grant of one's own sees. */
  export interface GrantRequest {
    readonly oidc: {
      readonly params: Readonly<Record<string, string | undefined>>;
      readonly client: { readonly clientId: string };
    };
    body: unknown;
  }

  /** The part of the class that the tests use. */
  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly AccessToken: new (properties: object) => { resourceServer: unknown; save(): Promise<string> };
    readonly ResourceServer: new (identifier: string, info: object) => object;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    registerGrantType(
      name: string,
      handler: (request: GrantRequest) => Promise<void>,
      parameters: readonly string[],
    ): void;
  }

  export const errors: Errors;
  export interface Errors {
    readonly InvalidGrant: new (detail: string) => Error;
  }
}
