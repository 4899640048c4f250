import type { WaitingFor } from "./entry.ts";

type Range = readonly [kind: "S" | "R" | "E" | "A" | "B", first: number, last: number, waits: WaitingFor];

/** Which part of the work a requirement belongs to; the first range that has it counts. */
const ranges: readonly Range[] = [
  ["S", 1, 9, "release"],
  ["S", 10, 15, "jsonrpc2"],
  ["S", 16, 19, "stdio"],
  ["S", 20, 39, "http"],
  ["S", 40, 41, "jsonrpc2"],
  ["S", 42, 43, "http"],
  ["S", 44, 44, "jsonrpc2"],
  ["S", 45, 198, "mcp"],
  ["S", 199, 207, "release"],
  ["S", 208, 214, "jsonrpc2"],
  ["S", 215, 216, "host"],
  ["S", 217, 219, "mcp"],
  ["S", 220, 221, "stdio"],
  ["S", 222, 224, "mcp"],
  ["S", 225, 228, "mcp"],
  ["S", 229, 229, "host"],
  ["S", 230, 234, "stdio"],
  ["S", 235, 245, "http"],
  ["S", 246, 282, "host"],
  ["S", 283, 285, "mcp"],
  ["R", 216, 218, "http"],
  ["R", 222, 222, "http"],
  ["R", 250, 264, "stdio"],
  ["R", 265, 265, "auth"],
  ["R", 280, 298, "http"],
  ["R", 299, 299, "auth"],
  ["R", 300, 300, "http"],
  ["R", 316, 319, "mcp"],
  ["R", 310, 369, "http"],
  ["R", 370, 370, "tasks"],
  ["R", 380, 385, "http"],
  ["R", 396, 397, "http"],
  ["R", 670, 683, "tasks"],
  ["R", 690, 693, "mcp"],
  ["R", 694, 710, "extensions"],
  ["R", 720, 766, "auth"],
  ["R", 417, 417, "tasks"],
  ["R", 437, 437, "tasks"],
  ["R", 481, 481, "tasks"],
  ["R", 386, 386, "jsonrpc2"],
  ["R", 387, 387, "stdio"],
  ["R", 790, 791, "auth"],
  ["R", 794, 795, "auth"],
  ["R", 796, 796, "host"],
  ["R", 790, 799, "http"],
  ["R", 100, 799, "mcp"],
  ["E", 1, 999, "extensions"],
  ["A", 1, 77, "auth"],
  ["B", 1, 30, "auth"],
];

/** What a requirement without a test waits for. */
export function defaultWait(id: string): WaitingFor {
  const kind = id.slice(0, 1);
  const number = Number(id.slice(2));
  const range = ranges.find(([of, first, last]) => of === kind && first <= number && number <= last);
  if (range === undefined) {
    throw new Error(`Expected the id of a requirement, got ${id}`);
  }
  return range[3];
}
