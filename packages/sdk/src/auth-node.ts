/**
 * OAuth for clients on Node: a receiver for authorization responses, a store in files, and the
 * user's browser.
 *
 * @packageDocumentation
 */

export * from "@tenon/auth/node";
