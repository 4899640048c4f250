/**
 * Time for tests.
 *
 * @packageDocumentation
 */

export { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";
