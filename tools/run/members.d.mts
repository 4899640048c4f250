/** What is in a file. */
export interface Content {
  readonly hash: string;
  readonly text: string;
}

type Manifests = ReadonlyMap<string, Readonly<Record<string, unknown>>>;
type Uses = ReadonlyMap<string, ReadonlySet<string>>;

export function contentOf(path: string, data: Buffer): Content;
export function contentsOf(root: string): Map<string, Content>;
export function dependenciesOf(root: string): Uses;
export function directOf(manifests: Manifests): Uses;
export function hashOf(parts: Iterable<string | Uint8Array>): string;
export function isUsed(path: string): boolean;
export function manifestsOf(root: string): Manifests;
export function memberOf(path: string): string;
export function namedByTest(
  test: string,
  others: ReadonlyMap<string, readonly string[]>,
  contents: ReadonlyMap<string, Content>,
  named: (text: string) => ReadonlySet<string>,
): ReadonlySet<string>;
export function namesIn(manifests: Manifests): (text: string) => ReadonlySet<string>;
export function reach(members: Iterable<string>, direct: Uses): ReadonlySet<string>;
export function usedBySources(contents: ReadonlyMap<string, Content>, manifests: Manifests): Uses;
