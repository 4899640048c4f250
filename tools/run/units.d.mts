import type { Content } from "./members.mjs";

/** What is checked as one: a member of the workspace, or a test file that `inputs.mjs` sets apart. */
export interface Unit {
  readonly name: string;
  readonly directory: string;
  readonly hash: string;
  readonly uses: ReadonlySet<string>;
  readonly tests: readonly string[];
}

export function units(root: string, contents?: ReadonlyMap<string, Content>): readonly Unit[];
export function declaredBy(unit: Omit<Unit, "hash">, members: ReadonlySet<string>): (path: string) => boolean;
export function matches(pattern: string, path: string): boolean;
export function openRecord(root: string): {
  due(check: string, all: readonly Unit[]): readonly Unit[];
  add(check: string, those: readonly Unit[]): void;
  clear(): void;
};
