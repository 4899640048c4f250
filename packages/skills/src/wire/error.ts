import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link SkillErrorCode}. */
export const skillErrors = {
  INVALID_SKILL: "a skill has a name, files or properties that skills may not have",
  VERIFICATION_FAILED: "a file of a skill does not match the entry of the skill",
  NOT_IN_SKILL: "a skill does not have the file",
  NOT_APPROVED: "the use of a skill was not approved",
  NOT_CONNECTED: "the server of a skill is closed, has failed or does not exist",
} as const;

/** The codes of {@link SkillError}. */
export type SkillErrorCode = keyof typeof skillErrors;

const brand = Symbol.for("@tenon/skills/SkillError");

/** An error about a skill. Recognize it by `code`. */
export class SkillError extends Error {
  static {
    brandErrors(this.prototype, "SkillError", brand);
  }

  readonly code: SkillErrorCode;

  /** A failure with its code. @param options - `cause` is kept. */
  constructor(code: SkillErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : options);
    this.code = code;
  }
}

/** True for any copy of {@link SkillError}, optionally with this code. */
export function isSkillError(value: unknown, code?: SkillErrorCode): value is SkillError {
  return isBranded(value, brand, code);
}
