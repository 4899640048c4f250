/**
 * Tools for tests with any test runner: a virtual clock, scripted peers, and the checks that a
 * transport has to pass.
 *
 * @packageDocumentation
 */

export * from "@tenon/jsonrpc2/testing";
