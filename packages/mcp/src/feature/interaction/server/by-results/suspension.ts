import { brandErrors } from "@tenon/base";

import { suspended } from "../errors.ts";

/**
 * The rejection of pending input requests when the handler is suspended until the client responds.
 * It exists so that `finally` blocks run. The result has been sent by then, so the handler cannot
 * change it.
 */
export class Suspension extends Error {
  static {
    brandErrors(this.prototype, "Suspension", suspended);
  }

  constructor() {
    // This message appears as an unhandled rejection, or in logs of caught errors.
    super(
      "Suspended until the client sends the requested input; then the handler runs again from its start. This is not a failure: do not catch it. If it is reported as an unhandled rejection, await the promises made from elicit, sample and listRoots together, by Promise.all.",
    );
  }
}
