import { isRecord } from "@tenon/base";
import type { Tool } from "@tenon/protocol";
import MiniSearch from "minisearch";

/** A tool that a search found. */
export interface FoundTool {
  /** The name of the tool, as in the index. */
  readonly name: string;
  readonly tool: Tool;
}

/** An index over the definitions of tools. */
export interface ToolIndex {
  /** How many tools there are. */
  readonly size: number;
  /**
   * Finds tools by the words of a query, best first. Names, descriptions and parameters are
   * searched.
   *
   * @param maxResults - Default: `5`.
   */
  search(question: string, maxResults?: number): readonly FoundTool[];
  /** The definition of a tool; `undefined` if it is not in the index. */
  get(name: string): Tool | undefined;
}

/** Maximum length of a query, in characters. */
const maxQuestionLength = 1000;
/** Maximum number of characters of one definition that are read. */
const maxTextLength = 20_000;
/** Maximum depth of parameters that are read. */
const maxDepth = 3;

interface Entry {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: string;
}

/** Words that do not distinguish tools. */
const stopWords: ReadonlySet<string> = new Set(
  "a an and are as at be by for from how i in into is it me my of on or please that the this to want what with you".split(
    " ",
  ),
);

/** Makes an index of tools. An index does not change. */
export function createToolIndex(tools: readonly FoundTool[]): ToolIndex {
  const byName = new Map(tools.map(({ name, tool }) => [name, tool]));
  const all = [...byName].map(([name, tool]) => ({ name, tool }));
  const index = new MiniSearch<Entry>({
    fields: ["name", "title", "description", "parameters"],
    tokenize: wordsOf,
    processTerm: (term) => (stopWords.has(term) ? null : stemOf(term)),
    searchOptions: {
      boost: { name: 3, title: 2, description: 1.5 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
      weights: { prefix: 0.4, fuzzy: 0.2 },
    },
  });
  index.addAll(all.map(({ name, tool }, id) => entryOf(id, name, tool)));

  return {
    size: all.length,
    search: (question, maxResults = 5) =>
      index
        .search(question.slice(0, maxQuestionLength))
        .slice(0, maxResults)
        .flatMap(({ id }) => all[id as number] ?? []),
    get: (name) => byName.get(name),
  };
}

function entryOf(id: number, name: string, { title, annotations, description, inputSchema }: Tool): Entry {
  return {
    id,
    name: name.replace(/^mcp__/, ""),
    title: title ?? annotations?.title ?? "",
    description: (description ?? "").slice(0, maxTextLength),
    parameters: parametersOf(inputSchema, maxDepth).join(" ").slice(0, maxTextLength),
  };
}

/** The names and descriptions of parameters, and the values that they may have. */
function parametersOf(schema: unknown, depth: number): readonly string[] {
  if (!isRecord(schema) || depth === 0) {
    return [];
  }
  const { properties, items, description, enum: values } = schema;
  return [
    ...(isRecord(properties)
      ? Object.entries(properties).flatMap(([name, property]) => [name, ...parametersOf(property, depth - 1)])
      : []),
    ...parametersOf(items, depth - 1),
    ...(depth < maxDepth && typeof description === "string" ? [description] : []),
    ...(Array.isArray(values) ? values.filter((value) => typeof value === "string").slice(0, 20) : []),
  ];
}

/** The words of a string. Words in `createIssue` and `create_issue` are separate. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** The word without an English ending, so that `issues` finds `issue`. */
function stemOf(word: string): string {
  if (word.length < 4) {
    return word;
  }
  return word
    .replace(/ies$/, "y")
    .replace(/(?<=[^s])s$/, "")
    .replace(/(?<=\w{3})(?:ing|ed)$/, "")
    .replace(/(?<=\w{3})e$/, "");
}
