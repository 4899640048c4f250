/** The code that a server needs from the first input request on. */
export { elicitationInput } from "../../elicitation/server.ts";
export { rootsInput } from "../../roots/server/input.ts";
export { samplingInput } from "../../sampling/server.ts";
export { fulfilByRequests } from "./by-requests/fulfil.ts";
export { requireCapability, requireSession } from "./require.ts";
export { createInteraction, resumeInteraction } from "./create.ts";
