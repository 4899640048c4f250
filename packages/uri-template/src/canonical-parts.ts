export { canonicalMessage, canonicalParams } from "./canonical-params.ts";
export { canonicalPrefix, canonicalStart } from "./canonical-start.ts";
