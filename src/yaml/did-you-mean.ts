/** The known word that was probably meant: the nearest one, if it is near enough to be a typo. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((each) => ({ each, distance: distanceOf(plain(word), plain(each)) }))
    .filter(({ each, distance }) => distance <= Math.min(2, Math.floor(each.length / 3)))
    .toSorted((one, other) => one.distance - other.distance);
  return near[0]?.each ?? known.find((each) => word.length > 1 && each.startsWith(word));
}

/** Case and the joining character are the commonest typos. */
const plain = (word: string): string => word.toLowerCase().replaceAll(/[-_]/g, "");

/** How many letters must be added, left out, changed or swapped with their neighbour to make one word of the other. */
function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < other.length; column += 1) {
      const change = (row[column] ?? 0) + (one[index] === other[column] ? 0 : 1);
      const isSwap = one[index] === other[column - 1] && one[index - 1] === other[column];
      const swap = isSwap && index > 0 && column > 0 ? (before[column - 1] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
