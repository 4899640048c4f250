/**
 * Inside of a view: the conversation with the host.
 *
 * @packageDocumentation
 */

export * from "@tenon/apps/view";
