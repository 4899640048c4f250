/**
 * Tools for tests with any test runner: client and server in one process, recorded conversations,
 * a virtual clock, scripted peers, and the checks that a transport has to pass.
 *
 * @packageDocumentation
 */

export * from "@tenon/testing";
