/**
 * Many servers as one, for agents and IDEs. Configuration files and transports made from them are
 * in `@tenon/sdk/host/node`.
 *
 * @packageDocumentation
 */

export * from "@tenon/host";
