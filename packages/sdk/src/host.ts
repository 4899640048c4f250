/**
 * Many servers as one, for agents and IDEs. Configuration files and transports made from them are in `@tenon/host/node`.
 *
 * @packageDocumentation
 */

export * from "@tenon/host";
