import { convertSchema, type Conversion, type Direction, type Schema } from "./convert.ts";
import { reduced, sizeOf, typeOnly } from "./reduce.ts";

/** A converted schema, and the references in it. */
export interface Converted {
  readonly schema: Schema;
  readonly references: readonly string[];
}

/** Converts the schemas of a document, each once, and puts together those that a tool needs. */
export interface Definitions {
  /** Converts a schema that is not a definition of its own. @param where - For warnings. */
  convert(value: unknown, direction: Direction, where: string): Converted;
  /** Leaves out what is deepest in a schema, until it fits. The result accepts more. */
  reduce(converted: Converted, maxBytes: number): Converted;
  /**
   * Adds to a schema the definitions that it refers to, nearest first, until the limit is reached.
   * Further definitions accept any value of their type.
   */
  complete(
    root: Record<string, unknown>,
    references: readonly string[],
    direction: Direction,
  ): CompleteSchema;
}

/** A schema that stands by itself. */
export interface CompleteSchema {
  readonly schema: Record<string, unknown>;
  /** The number of definitions that were replaced. */
  readonly left: number;
}

interface Definition extends Converted {
  readonly bytes: number;
}

/** The dependencies of {@link definitionsOf}. */
export interface DefinitionsSetup extends Pick<Conversion, "pointers" | "keepsSiblings"> {
  /** Maximum size of a complete schema. */
  readonly maxBytes: number;
  readonly onWarning: (message: string) => void;
}

/** Creates the definitions of a document. */
export function definitionsOf({
  pointers,
  keepsSiblings,
  maxBytes,
  onWarning,
}: DefinitionsSetup): Definitions {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const known = { input: new Map<string, Definition>(), output: new Map<string, Definition>() };

  function nameOf(reference: string): string {
    let name = names.get(reference);
    if (name === undefined) {
      const last = decodeURIComponentSafely(reference.slice(reference.lastIndexOf("/") + 1));
      const base = last.replace(/[^A-Za-z0-9_.-]+/g, "_") || "schema";
      name = base;
      for (let count = 2; taken.has(name); count++) {
        name = `${base}_${count}`;
      }
      taken.add(name);
      names.set(reference, name);
    }
    return name;
  }

  function convert(value: unknown, direction: Direction, where: string): Converted {
    const references = new Set<string>();
    const schema = convertSchema(value, {
      direction,
      pointers,
      keepsSiblings,
      refer(reference) {
        if (pointers.follow({ $ref: reference }) === undefined) {
          return undefined;
        }
        references.add(reference);
        return `#/$defs/${nameOf(reference)}`;
      },
      warn: (message) => {
        onWarning(`${where}: ${message}.`);
      },
    });
    return { schema, references: [...references] };
  }

  function definition(reference: string, direction: Direction): Definition {
    let found = known[direction].get(reference);
    if (found === undefined) {
      const converted = convert(pointers.resolve(reference), direction, reference);
      found = { ...converted, bytes: sizeOf(converted.schema) + nameOf(reference).length + 4 };
      known[direction].set(reference, found);
    }
    return found;
  }

  return {
    convert,
    reduce({ schema, references }, maxBytes) {
      const kept = reduced(schema, maxBytes);
      const text = JSON.stringify(kept);
      return {
        schema: kept,
        references: references.filter((one) => text.includes(JSON.stringify(`#/$defs/${nameOf(one)}`))),
      };
    },
    complete(root, references, direction) {
      const queue = [...references];
      const seen = new Set(queue);
      const definitions: [name: string, schema: Schema][] = [];
      let size = sizeOf(root);
      let left = 0;
      for (let reference = queue.shift(); reference !== undefined; reference = queue.shift()) {
        const { schema, references: further, bytes } = definition(reference, direction);
        if (size + bytes > maxBytes) {
          const kept = typeOnly(schema);
          definitions.push([nameOf(reference), kept]);
          size += nameOf(reference).length + 4 + sizeOf(kept);
          left++;
          continue;
        }
        size += bytes;
        definitions.push([nameOf(reference), schema]);
        for (const one of further.filter((each) => !seen.has(each))) {
          seen.add(one);
          queue.push(one);
        }
      }
      return {
        schema: definitions.length === 0 ? root : { ...root, $defs: Object.fromEntries(definitions) },
        left,
      };
    },
  };
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return text;
  }
}
