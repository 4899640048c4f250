/**
 * Configuration files, and transports made from them: what a host needs on Node.
 *
 * @packageDocumentation
 */

export * from "@tenon/host/node";
