/**
 * Tools to test transports and peers with any test runner.
 *
 * @packageDocumentation
 */

export {
  transportConformance,
  type ConformanceOptions,
  type ConnectedPair,
  type PairFactory,
  type TestRunner,
} from "./testing/conformance.ts";
export { createScriptedPeer, type ScriptedPeer } from "./testing/scripted-peer.ts";
export { parseTranscript, replayTranscript, type Replay, type ReplayOptions } from "./testing/transcript.ts";
export { createVirtualClock, type VirtualClock } from "@tenon/base/testing";
