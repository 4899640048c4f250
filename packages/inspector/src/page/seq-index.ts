/** The index of the first line that has this number or a higher one, in a list in order. */
export function indexOfSeq(list: readonly { readonly seq: number }[], seq: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.seq ?? 0) < seq) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
