import { nativePattern } from "../regex/native.ts";
import type { JSONSchema, JSONSchemaObject } from "../schema.ts";
import { tooLong, tooShort } from "../value/length.ts";
import type { Members } from "../value/members.ts";
import { arrayBit, bitOf, integerBit, numberBit, objectBit, stringBit, typeBit } from "../value/type.ts";

type Check = (value: unknown) => boolean;

/**
 * Makes the check of a flat schema. It accepts no value that does not conform. Values that JSON
 * does not have, such as a `bigint`, may need the compiler to be accepted.
 */
export function flatCheck(schema: JSONSchema): Check {
  if (typeof schema === "boolean") {
    return () => schema;
  }
  const { type, const: expected, enum: values, anyOf } = schema;
  const mask = type === undefined ? -1 : [type].flat().reduce((sum, name) => sum | (bitOf(name) ?? 0), 0);
  const texts = textCheck(schema);
  const numbers = numberCheck(schema);
  const items = itemsCheck(schema);
  const members = membersCheck(schema);
  const branches = anyOf?.map(flatCheck);
  return (value) => {
    const bit = typeBit(value);
    if ((mask & bit) === 0 && !(mask === -1 || (bit === integerBit && (mask & numberBit) !== 0))) {
      return false;
    }
    return (
      (bit === stringBit
        ? texts(value as string)
        : bit === objectBit
          ? members(value as Members)
          : bit === arrayBit
            ? items(value as unknown[])
            : (bit & (numberBit | integerBit)) === 0 || numbers(value as number)) &&
      (expected === undefined || expected === value) &&
      (values === undefined || values.includes(value)) &&
      (branches === undefined || branches.some((branch) => branch(value)))
    );
  };
}

function textCheck({
  minLength = 0,
  maxLength = Infinity,
  pattern,
}: JSONSchemaObject): (text: string) => boolean {
  const regex = pattern === undefined ? undefined : nativePattern(pattern, "#");
  return (text) =>
    !tooShort(text, minLength) && !tooLong(text, maxLength) && (regex === undefined || regex.test(text));
}

function numberCheck({
  minimum = -Infinity,
  maximum = Infinity,
  exclusiveMinimum: above,
  exclusiveMaximum: below,
}: JSONSchemaObject): (number: number) => boolean {
  return (number) =>
    number >= minimum &&
    number <= maximum &&
    (above === undefined || number > above) &&
    (below === undefined || number < below);
}

function itemsCheck({
  items,
  minItems = 0,
  maxItems = Infinity,
}: JSONSchemaObject): (list: readonly unknown[]) => boolean {
  const item = items === undefined ? undefined : flatCheck(items as JSONSchema);
  return (list) =>
    list.length >= minItems &&
    list.length <= maxItems &&
    (item === undefined || list.every((one) => item(one)));
}

/** The rules of one property, by its name. */
interface Member {
  readonly name: string;
  readonly index: number;
  readonly needed: number;
  readonly check: Check | undefined;
}

function membersCheck({
  properties = {},
  required = [],
  additionalProperties,
}: JSONSchemaObject): (members: Members) => boolean {
  const rest = additionalProperties === undefined ? undefined : flatCheck(additionalProperties);
  const described = new Map(Object.entries(properties));
  const needed = new Set(required);
  const byName = new Map<string, Member>();
  for (const name of new Set([...described.keys(), ...needed])) {
    const property = described.get(name);
    const check = property === undefined ? rest : flatCheck(property);
    byName.set(name, { name, index: byName.size, needed: needed.has(name) ? 1 : 0, check });
  }
  const all = [...byName.values()];
  return (members) => {
    let seen = 0;
    let next = 0;
    for (const name in members) {
      const value = members[name];
      if (value === undefined) {
        continue;
      }
      // Properties tend to come in the order in which they are declared.
      const following = all[next];
      const member = following?.name === name ? following : byName.get(name);
      if (member !== undefined) {
        next = member.index + 1;
        seen += member.needed;
      }
      const check = member === undefined ? rest : member.check;
      if (check !== undefined && !check(value)) {
        return false;
      }
    }
    return seen === needed.size;
  };
}
