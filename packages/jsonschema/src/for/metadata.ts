import type { JSONSchemaObject } from "../schema.ts";
import type { Class } from "../standard/class.ts";
import { invalid } from "../standard/recognise.ts";
import { description, readMetadata, type Description, type Metadata } from "./description.ts";
import type { Field, FieldSpec } from "./shape.ts";

// No JavaScript engine has `Symbol.metadata` yet. Compilers read it while a decorated class is
// being defined: with none installed, tsc hands `undefined` to the decorators, and esbuild, Babel
// and swc fall back to this registered symbol. So it must exist before the first decorated class
// and after this module was asked for, which is when this constant is initialized. Every decorator,
// `Model` and `For` are of this module: a bundler that keeps one of them keeps the installation,
// and drops it with all of this module otherwise. That is what lets the package promise
// `sideEffects: false`.
const installed: symbol = install();

function install(): symbol {
  const holder = Symbol as { metadata?: symbol };
  if (holder.metadata === undefined) {
    // Configurable and writable, so that a polyfill that comes later can still replace it.
    const value = Symbol.for("Symbol.metadata");
    Object.defineProperty(Symbol, "metadata", { value, configurable: true, writable: true });
  }
  return holder.metadata ?? Symbol.for("Symbol.metadata");
}

// Registered, so that two copies of this package read each other's classes.
const fieldsKey = Symbol.for("tenon.jsonschema.fields");
const classKey = Symbol.for("tenon.jsonschema.class");

/** Makes the description of a class with fields. */
export type Describe = (target: Class) => Description;

/** The options of the `schema` decorator of a class. */
export interface ClassSpec {
  /** The name under `$defs`. */
  readonly name?: string | undefined;
  readonly additionalProperties?: boolean | undefined;
  readonly keywords: JSONSchemaObject;
}

/** Adds a field to the class that is being defined. */
export function registerField(
  context: ClassFieldDecoratorContext,
  spec: FieldSpec,
  describe: Describe,
): void {
  const metadata = metadataOf(context);
  if (context.kind !== "field" || context.static || context.private || typeof context.name !== "string") {
    throw invalid(`${String(context.name)} cannot be a property: describe public instance fields only`);
  }
  if (context.name === "__proto__" || spec.name === "__proto__") {
    throw invalid("a property must not be named __proto__");
  }
  if (!Object.hasOwn(metadata, fieldsKey)) {
    metadata[fieldsKey] = [];
    metadata[description] = describe;
  }
  (metadata[fieldsKey] as Field[]).push({ key: context.name, name: spec.name ?? context.name, spec });
}

/** Sets an option of the class that is being defined. */
export function registerClass(context: ClassDecoratorContext, spec: ClassSpec): void {
  metadataOf(context)[classKey] = spec;
}

/** Adds the fields of a class without decorators. */
export function defineFields(
  target: Class,
  fields: readonly Field[],
  describe: Describe,
  spec?: ClassSpec,
): void {
  const metadata: Metadata = Object.create(null) as Metadata;
  metadata[fieldsKey] = fields;
  metadata[description] = describe;
  if (spec !== undefined) {
    metadata[classKey] = spec;
  }
  Object.defineProperty(target, (Symbol as { metadata?: symbol }).metadata ?? installed, {
    value: metadata,
    configurable: true,
    writable: true,
  });
}

/**
 * The described fields of a class: those it inherits first, each once, as the most derived class
 * describes it.
 */
export function fieldsOf(target: Class): readonly Field[] {
  let fields = fieldsCache.get(target);
  if (fields === undefined) {
    fieldsCache.set(target, (fields = collectFields(target)));
  }
  return fields;
}

const fieldsCache = new WeakMap<Class, readonly Field[]>();

function collectFields(target: Class): readonly Field[] {
  const levels: (readonly Field[])[] = [];
  for (
    let level = readMetadata(target);
    level != null;
    level = Object.getPrototypeOf(level) as Metadata | undefined
  ) {
    if (Object.hasOwn(level, fieldsKey)) {
      levels.unshift(level[fieldsKey] as readonly Field[]);
    }
  }
  const byKey = new Map<string, Field>();
  for (const field of levels.flat()) {
    byKey.set(field.key, field);
  }
  if (levels.length === 0) {
    throw invalid(`class ${target.name || "without a name"} has no described fields`);
  }
  const keys = new Map<string, string>();
  for (const { key, name } of byKey.values()) {
    const other = keys.get(name);
    if (other !== undefined) {
      throw invalid(
        `class ${target.name || "without a name"} describes "${name}" twice: as ${other} and as ${key}`,
      );
    }
    keys.set(name, key);
  }
  return [...byKey.values()];
}

/** The options of the class itself, without inherited options. */
export function classSpecOf(target: Class): ClassSpec | undefined {
  const metadata = readMetadata(target);
  return metadata !== undefined && Object.hasOwn(metadata, classKey)
    ? (metadata[classKey] as ClassSpec)
    : undefined;
}

function metadataOf(context: ClassFieldDecoratorContext | ClassDecoratorContext): Metadata {
  if (typeof context !== "object") {
    throw invalid(
      "These are standard decorators, but the compiler calls them as legacy decorators. Set experimentalDecorators to false. " +
        "Next.js has legacy decorators only: describe the class with Model() there",
    );
  }
  const metadata = context.metadata as Metadata | undefined;
  if (metadata === undefined) {
    throw invalid(
      "Decorator metadata is missing. Use a compiler that implements standard (TC39) decorators, " +
        "or describe the class with Model(), which needs none",
    );
  }
  return metadata;
}
