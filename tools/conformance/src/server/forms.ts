/** A form with one name. */
export const nameForm = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
} as const;

/** A form with one colour. */
export const colorForm = {
  type: "object",
  properties: { color: { type: "string" } },
  required: ["color"],
} as const;

/** A form with one yes or no. */
export const okForm = {
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
} as const;
