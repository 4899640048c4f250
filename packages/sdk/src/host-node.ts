/**
 * Configuration files, and transports made from them, for hosts on Node.
 *
 * @packageDocumentation
 */

export * from "@tenon/host/node";
