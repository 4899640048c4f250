/**
 * Verification of access tokens that are JWTs.
 *
 * @packageDocumentation
 */

export * from "@tenon/auth/jwt";
