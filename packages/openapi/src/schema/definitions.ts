import { convertSchema, type Conversion, type Direction, type Schema } from "./convert.ts";
import { reduced, relaxed, sizeOf, typeOnly } from "./reduce.ts";

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
   * Further definitions accept any value of their type. The result accepts every value that the
   * whole schema accepts.
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
  /** The definition if it is left out. */
  readonly type: Record<string, unknown>;
  readonly typeBytes: number;
}

/** The dependencies of {@link definitionsOf}. */
export interface DefinitionsSetup extends Pick<Conversion, "pointers" | "keepsSiblings" | "isComposed"> {
  /** Maximum size of a complete schema. */
  readonly maxBytes: number;
  readonly onWarning: (message: string) => void;
}

/** Creates the definitions of a document. */
export function definitionsOf({
  pointers,
  keepsSiblings,
  isComposed,
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
      isComposed,
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
      const type = typeOnly(converted.schema);
      const nameBytes = nameOf(reference).length + 4;
      found = {
        ...converted,
        bytes: nameBytes + sizeOf(converted.schema),
        type,
        typeBytes: nameBytes + sizeOf(type),
      };
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
      const kept = new Map<string, Definition>();
      const left = new Map<string, Definition>();
      const typeBytes = (all: readonly string[]): number =>
        all.reduce((sum, one) => sum + definition(one, direction).typeBytes, 0);
      // Space for the type of each known definition is taken from the start.
      let size = sizeOf({ ...root, $defs: {} }) + typeBytes(queue);
      for (let reference = queue.shift(); reference !== undefined; reference = queue.shift()) {
        const found = definition(reference, direction);
        const more = found.bytes - found.typeBytes;
        const further = found.references.filter((one) => !seen.has(one));
        if (more > 0 && (size + more > maxBytes || size + more + typeBytes(further) > maxBytes)) {
          left.set(reference, found);
          continue;
        }
        size += more + typeBytes(further);
        kept.set(reference, found);
        for (const one of further) {
          seen.add(one);
          queue.push(one);
        }
      }
      const names = new Set([...reaching(kept, left)].map((reference) => `#/$defs/${nameOf(reference)}`));
      const relax = (schema: Schema): Schema =>
        left.size === 0 ? schema : relaxed(schema, (reference) => names.has(reference));
      const definitions = [...seen].map((reference) => [
        nameOf(reference),
        left.get(reference)?.type ?? relax(definition(reference, direction).schema),
      ]);
      return {
        schema:
          definitions.length === 0
            ? root
            : { ...(relax(root) as typeof root), $defs: Object.fromEntries(definitions) },
        left: left.size,
      };
    },
  };
}

/** The left-out definitions, and all definitions with a direct or indirect reference to them. */
function reaching(
  kept: ReadonlyMap<string, Converted>,
  left: ReadonlyMap<string, unknown>,
): ReadonlySet<string> {
  const found = new Set(left.keys());
  const nearestLast = [...kept].toReversed();
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const [reference, { references }] of nearestLast) {
      if (references.some((one) => found.has(one))) {
        found.add(reference);
      }
    }
  }
  return found;
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return text;
  }
}
