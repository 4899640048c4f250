/** Every id there is, as ranges in which none is missing. */
const ranges: readonly (readonly [kind: "S" | "R" | "E" | "A" | "B", first: number, last: number])[] = [
  ["S", 1, 285],
  ["R", 100, 121],
  ["R", 130, 150],
  ["R", 160, 173],
  ["R", 190, 200],
  ["R", 210, 226],
  ["R", 240, 243],
  ["R", 250, 265],
  ["R", 280, 300],
  ["R", 310, 331],
  ["R", 345, 370],
  ["R", 380, 387],
  ["R", 395, 400],
  ["R", 410, 419],
  ["R", 430, 437],
  ["R", 445, 447],
  ["R", 460, 482],
  ["R", 490, 496],
  ["R", 500, 502],
  ["R", 510, 525],
  ["R", 530, 541],
  ["R", 550, 568],
  ["R", 575, 587],
  ["R", 600, 634],
  ["R", 645, 659],
  ["R", 670, 683],
  ["R", 690, 710],
  ["R", 720, 766],
  ["R", 790, 799],
  ["E", 1, 61],
  ["E", 100, 149],
  ["A", 1, 77],
  ["B", 1, 30],
];

/** The id of a number. */
export function idOf(kind: string, number: number): string {
  return `${kind}-${String(number).padStart(3, "0")}`;
}

/** All requirement ids, in order. */
export const ids: readonly string[] = ranges.flatMap(([kind, first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => idOf(kind, first + index)),
);
