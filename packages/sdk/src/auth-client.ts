/**
 * OAuth for clients: discovery, registration, login, refresh and logout.
 *
 * @packageDocumentation
 */

export * from "@tenon/auth/client";
