/** Scrolls to the beginning of the turn before or after the one at the top of the view. */
export function stepTurn(scroller: HTMLElement | null, step: 1 | -1): void {
  if (!scroller) return;
  const top = scroller.getBoundingClientRect().top;
  const heads = [...scroller.querySelectorAll<HTMLElement>("[data-turn-head]")];
  const places = heads.map((head) => head.getBoundingClientRect().top - top);
  const index =
    step < 0 ? places.findLastIndex((place) => place < -4) : places.findIndex((place) => place > 4);
  if (index >= 0) scroller.scrollTop += places[index] ?? 0;
  else if (step < 0) scroller.scrollTop = 0;
  else scroller.scrollTop = scroller.scrollHeight;
}
