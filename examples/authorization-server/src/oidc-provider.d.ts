/** The part of `oidc-provider` that the example uses. The package has no types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }

  export const errors: Errors;
  export interface Errors {
    readonly InvalidTarget: new () => Error;
  }
}
