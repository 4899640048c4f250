export { decodeUnusual } from "./decode.ts";
export { tooLong } from "./refused.ts";
