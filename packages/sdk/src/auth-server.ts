/**
 * Authorization for servers: a guard for access tokens, protected resource metadata, and scopes for
 * each operation.
 *
 * @packageDocumentation
 */

export * from "@tenon/auth/server";
