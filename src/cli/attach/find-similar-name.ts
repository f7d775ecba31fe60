/** How many letters may be missing, added, changed or swapped with their neighbour. */
const MAX_SLIPS = 2;

/** The name that was probably meant, if one is similar enough. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  const longer = (each: string): number => Math.abs(each.length - name.length);
  const near = known
    .map((each) => ({ each, slips: slipsBetween(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, slips }) => slips <= MAX_SLIPS && slips < each.length / 2)
    .toSorted((one, other) => one.slips - other.slips || longer(one.each) - longer(other.each));
  return near[0]?.each;
}

/** The optimal string alignment distance. */
function slipsBetween(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from(other, (_, index) => index)];
  last.push(other.length);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const ways = [
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      ];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwap) ways.push((before[column - 2] ?? 0) + 1);
      next.push(Math.min(...ways));
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
