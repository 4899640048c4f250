/** The code that a server needs from the first resource on. */
export { resourceLists, type ResourceLists } from "./lists.ts";
export { readUri } from "./read.ts";
