/**
 * Tools that fit into the context of a model: an index over their definitions, deferred definitions
 * of vendors, and tools that search.
 *
 * @packageDocumentation
 */

export { createToolIndex, type FoundTool, type ToolIndex } from "./search/tool-index.ts";
export { answerSearch, searchTools, type SearchTool, type SearchToolName } from "./search/search-tools.ts";
export {
  toolsFor,
  type FittedTools,
  type FitOptions,
  type ToolCallerByName,
  type VendorTool,
} from "./search/tools-for.ts";
