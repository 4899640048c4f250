/**
 * Views that a server offers with its tools.
 *
 * @packageDocumentation
 */

export * from "@tenon/apps/server";
