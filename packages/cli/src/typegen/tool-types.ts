import { isSchemaError } from "@tenon/jsonschema";
import {
  camelCase,
  commentFor,
  createNames,
  propertyName,
  type TypeWriter,
} from "@tenon/jsonschema/typescript";
import type { Tool } from "@tenon/protocol";

/** The types and the names of a tool in a generated module. */
export interface ToolTypes {
  readonly tool: Tool;
  /** The name of its function. */
  readonly method: string;
  readonly input: string;
  /** Whether it may be called without arguments. */
  readonly isInputOptional: boolean;
  readonly output: string;
  /** Its title and its description, as a comment. */
  readonly comment: string;
}

/** The type of arguments whose schema cannot be read. */
const anyInput = "{ [name: string]: unknown }";

/**
 * Declares the types of tools.
 *
 * @param onProblem - Called with a sentence for each schema that cannot be compiled. Its type then
 *   allows everything.
 */
export function declareTools(
  tools: readonly Tool[],
  writer: TypeWriter,
  onProblem: (message: string) => void,
): ToolTypes[] {
  const methods = createNames();
  const declare = (tool: Tool, part: "input" | "output", schema: object, other: string): string => {
    try {
      return writer.declare(`${tool.name} ${part}`, schema);
    } catch (error) {
      if (!isSchemaError(error)) {
        throw error;
      }
      onProblem(`The ${part} schema of ${tool.name} has no type: ${error.message}`);
      return other;
    }
  };
  return tools.map((tool) => {
    const { inputSchema, outputSchema } = tool;
    return {
      tool,
      method: methods.take(camelCase(tool.name), "tool"),
      input: declare(tool, "input", inputSchema, anyInput),
      isInputOptional: (inputSchema.required ?? []).length === 0,
      output: outputSchema === undefined ? "CallToolResult" : declare(tool, "output", outputSchema, anyInput),
      comment: commentFor(tool.description ?? tool.title ?? tool.annotations?.title),
    };
  });
}

/** Returns the members of the type that has the input, the output and the hints of each tool. */
export function toolMap(types: readonly ToolTypes[]): string {
  return types
    .map(({ tool, input, output, comment }) => {
      const hints = Object.entries(tool.annotations ?? {})
        .filter(([, value]) => typeof value === "boolean")
        .map(([name, value]) => `${propertyName(name)}: ${String(value)}`);
      const annotations = hints.length === 0 ? "" : ` annotations: { ${hints.join("; ")} };`;
      return `${comment}${propertyName(tool.name)}: { input: ${input}; output: ${output};${annotations} };`;
    })
    .join("\n");
}
