/** The code that a server needs from the first input request on. */
export { elicitationInput } from "../../elicitation/server.ts";
export { rootsInput } from "../../roots/input.ts";
export { samplingInput } from "../../sampling/server.ts";
export { fulfilByRequests } from "./direct/by-requests.ts";
export { requireCapability, requireSession } from "../capability.ts";
export { createInteraction, resumeInteraction } from "./create.ts";
