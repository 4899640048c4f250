/**
 * Transports between threads and documents: ports, windows and broadcast channels.
 *
 * @packageDocumentation
 */

export * from "@tenon/transports-message";
