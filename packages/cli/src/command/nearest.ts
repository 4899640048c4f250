/** The name that is most like `word`, if one is like it. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    const distance = distanceOf(word.slice(0, 80).toLowerCase(), name.slice(0, 80).toLowerCase());
    if (distance < least) {
      best = name;
      least = distance;
    }
  }
  return best;
}

/** How many characters have to be inserted, removed, replaced or exchanged with their neighbor. */
function distanceOf(from: string, to: string): number {
  const at = Array.from(from).findIndex((character, index) => character !== to[index]);
  const exchanged =
    from.slice(0, at) +
    from
      .slice(at, at + 2)
      .split("")
      .toReversed()
      .join("");
  if (at >= 0 && exchanged + from.slice(at + 2) === to) {
    return 1;
  }
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [at, character] of Array.from(from).entries()) {
    let diagonal = at;
    row = row.reduce<number[]>((next, above, column) => {
      const left = next[column - 1];
      next.push(
        left === undefined
          ? at + 1
          : Math.min(left + 1, above + 1, diagonal + (to[column - 1] === character ? 0 : 1)),
      );
      diagonal = above;
      return next;
    }, []);
  }
  return row[to.length] ?? 0;
}
