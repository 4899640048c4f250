/**
 * Files as resources. Node only.
 *
 * @packageDocumentation
 */

export {
  fileResourceHandler,
  type FileResourceHandler,
  type FileResourceLimits,
  type FileResourceOptions,
} from "./file-handler.ts";
