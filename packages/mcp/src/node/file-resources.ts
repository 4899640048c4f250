/**
 * Files as resources. Node only.
 *
 * @packageDocumentation
 */

export { fileResourceHandler, type FileResourceOptions } from "./file-handler.ts";
