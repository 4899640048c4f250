import { checkKinds } from "../check-options.ts";
import { compileIn } from "../compile.ts";
import { SchemaError } from "../error.ts";
import { absoluteLocation, type Node } from "../ir/node.ts";
import type { JSONSchema } from "../schema.ts";
import { treeEnvironment } from "../tree-environment.ts";
import { commentOf } from "./comment.ts";
import { createNames, pascalCase } from "./names.ts";
import { typeOf } from "./type-of.ts";

/** Options of {@link createTypeWriter}. */
export interface TypeWriterOptions {
  /** Names that the types do not get, because other declarations have them. */
  readonly reserved?: readonly string[] | undefined;
  /** Maximum length of all declarations, in UTF-16 code units. Default: `4_194_304` (4 Mi). */
  readonly maxLength?: number | undefined;
}

/** Writes the TypeScript types of JSON schemas. */
export interface TypeWriter {
  /**
   * Declares the type of the values that a schema allows, and a type for each schema that it refers
   * to. No value that the schema allows is left out: where TypeScript cannot express the schema,
   * the type allows more. It is `unknown` for a schema without a `type`. A property that is
   * not listed is allowed by the schema and not by the type, as in {@link Infer}, unless the schema
   * describes such properties.
   *
   * @param name - What the type is called, in any notation: `create_issue input` becomes
   *   `CreateIssueInput`. A number is added to a name that is used already.
   * @returns The name of the type.
   * @throws `SchemaError` for a schema that cannot be compiled, or if the declarations are longer
   *   than `maxLength`.
   */
  declare(name: string, schema: JSONSchema): string;
  /** Returns all declarations so far, in the order in which they were added. */
  text(): string;
}

/**
 * Creates a {@link TypeWriter}. The schemas may come from an untrusted author: names are made of
 * ASCII letters and digits, and strings and comments cannot end before their end.
 *
 * @throws `TypeError` for options that do not exist.
 */
export function createTypeWriter(options: TypeWriterOptions = {}): TypeWriter {
  checkKinds(options, { reserved: "object", maxLength: "number" }, {});
  const { reserved = [], maxLength = 4 * 1024 * 1024 } = options;
  const names = createNames(reserved);
  const declarations: string[] = [];
  let length = 0;

  function add(node: Node, text: string): void {
    length += text.length;
    if (length > maxLength) {
      const message = `the types of the schemas are longer than ${maxLength} characters (maxLength)`;
      throw new SchemaError("limit-exceeded", absoluteLocation(node), message);
    }
    declarations.push(text);
  }

  return {
    declare(name, schema) {
      const { root } = compileIn<unknown, { readonly root: Node }>(treeEnvironment, schema, {
        untrusted: true,
      });
      const main = names.take(pascalCase(name), "Type");
      const declared = new Map<Node, string>([[root, main]]);
      // A queue, because each declaration may name further ones.
      const queue = [root];
      const nameOf = (node: Node, hint: string): string => {
        const known = declared.get(node);
        if (known !== undefined) {
          return known;
        }
        const [, defined] = /\/(?:\$defs|definitions)\/([^/]+)$/.exec(node.pointer) ?? [];
        const given = names.take(`${main}${pascalCase(defined ?? hint)}`, "Type");
        declared.set(node, given);
        queue.push(node);
        return given;
      };
      for (const node of queue) {
        const { text } = typeOf(node, nameOf);
        add(node, `${commentOf(node.schema)}export type ${declared.get(node) ?? main} = ${text};\n`);
      }
      return main;
    },
    text: () => declarations.join("\n"),
  };
}
