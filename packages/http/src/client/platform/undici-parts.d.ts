// The parts of undici that this package uses. All of undici takes three times as long to load. The
// version of the dependency is exact, because these paths are not documented.

declare module "undici/lib/dispatcher/agent.js" {
  import { Agent } from "undici";

  export default Agent;
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";

  export default buildConnector;
}

declare module "undici/lib/core/errors.js" {
  import { errors } from "undici";

  export default errors;
}
