const jack = (x: number): string =>
  `<circle cx="${x}" cy="16" r="8" fill="#c79a3a"/><circle cx="${x}" cy="16" r="4.5" fill="#2a251d"/>`;

const lamp = (count: number): string =>
  `<rect x="12" y="8" width="20" height="24" rx="2" fill="#e8a33d"/>` +
  `<text x="22" y="26" font-family="monospace" font-size="17" font-weight="700" text-anchor="middle" fill="#1f1b14">` +
  `${count > 9 ? "9+" : count}</text>`;

/** The tab's picture, with the lamp lit and the number of calls in it while a person is wanted. */
export function iconWith(count: number): string {
  const picture = jack(9) + jack(23) + (count > 0 ? lamp(count) : "");
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${picture}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
