/**
 * Transports and `fetch` functions that lose, delay, double and break messages, as a plan says.
 *
 * @packageDocumentation
 */

export type { Fault, FaultKind } from "./faults/fault.ts";
export { faulty, type FaultyOptions } from "./faults/faulty.ts";
export {
  faultyFetch,
  type FetchFault,
  type FetchFaultPlace,
  type FaultyFetch,
} from "./faults/faulty-fetch.ts";
export { randomFaults, shrinkFaults } from "./faults/plan.ts";
