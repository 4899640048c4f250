/**
 * A scripted authorization server, to test programs that log in.
 *
 * @packageDocumentation
 */

export * from "@tenon/auth/testing";
