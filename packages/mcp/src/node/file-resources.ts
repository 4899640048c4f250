/**
 * Files as resources. Node only.
 *
 * @packageDocumentation
 */

export { fileResourceHandler, type FileResourceHandler, type FileResourceOptions } from "./file-handler.ts";
