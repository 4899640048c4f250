/**
 * The inspector as a program: its page on a free port of this machine, and stored calls in a file.
 *
 * @packageDocumentation
 */

export { fileSavedCalls } from "./file-saved-calls.ts";
export { startInspector, type StartedInspector, type StartInspectorOptions } from "./start.ts";
