/** Where the jacks are. Pure: the same team and width give the same board. */

export interface BoardNode {
  readonly id: string;
  /** The column (or row) it stands in, counted from the person. */
  readonly layer: number;
  /** The middle of its jack. */
  readonly x: number;
  readonly y: number;
}

export interface BoardLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly BoardNode[];
  /** Who stands there because of whom: the faint lines between jacks. */
  readonly links: readonly { readonly from: string; readonly to: string }[];
  /** On a narrow board labels stand beside their jacks, else below. */
  readonly labels: "below" | "beside";
  /** The room that each jack has, with its lamp above and its label. */
  readonly cell: { readonly width: number; readonly height: number };
}

export interface BoardTeam {
  readonly person: string;
  readonly lead: string | undefined;
  /** All agents, in the order of the team file. */
  readonly agents: readonly string[];
  /** Who may message whom, or has done so. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

const MIN_CELL = 172;
const MAX_CELL = 260;
const BELOW = 132;
const BESIDE = 84;
const JACK = 20;
const LAMP = 34;
const MAX_ROWS = 4;

export function layOut(team: BoardTeam, width: number): BoardLayout {
  const { layers, links } = layersOf(team);
  const columns = Math.max(1, Math.floor(width / MIN_CELL));
  return layers.length <= columns && width >= 3 * MIN_CELL
    ? inColumns(layers, links, width, columns)
    : inRows(layers, links, width, Math.max(1, Math.min(columns, 3)));
}

/** The person, the lead, then whoever can be reached from those before; at last those whom nobody reaches. */
function layersOf({ person, lead, agents, edges }: BoardTeam) {
  const first = lead ?? agents[0];
  const layers: string[][] = first === undefined ? [[person]] : [[person], [first]];
  const links = first === undefined ? [] : [{ from: person, to: first }];
  const open = new Set(agents.filter((agent) => agent !== first));
  for (let last = layers.at(-1) ?? []; open.size > 0;) {
    const reached: string[] = [];
    for (const from of last) {
      for (const to of agents) {
        if (!open.has(to) || !edges.some((edge) => edge.from === from && edge.to === to)) continue;
        open.delete(to);
        reached.push(to);
        links.push({ from, to });
      }
    }
    // Nobody before may message these: they stand last.
    if (reached.length === 0) reached.push(...open);
    for (const each of reached) open.delete(each);
    layers.push(reached);
    last = reached;
  }
  return { layers, links };
}

type Links = BoardLayout["links"];

function inColumns(
  layers: readonly string[][],
  links: Links,
  width: number,
  columns: number,
): BoardLayout {
  // Spare columns go to the layer with the highest stack.
  const shares = layers.map(() => 1);
  const rowsOf = (index: number): number =>
    Math.ceil((layers[index]?.length ?? 0) / (shares[index] ?? 1));
  const highest = (): number =>
    layers.reduce((best, _, index) => (rowsOf(index) > rowsOf(best) ? index : best), 0);
  for (let used = layers.length; used < columns && rowsOf(highest()) > MAX_ROWS; used += 1) {
    const index = highest();
    shares[index] = (shares[index] ?? 1) + 1;
  }
  const used = shares.reduce((sum, share) => sum + share, 0);
  const cell = { width: Math.min(MAX_CELL, width / used), height: BELOW };
  const rows = rowsOf(highest());
  const left = (width - used * cell.width) / 2;
  const nodes: BoardNode[] = [];
  let column = 0;
  for (const [layer, ids] of layers.entries()) {
    const stack = rowsOf(layer);
    for (const [index, id] of ids.entries()) {
      const row = index % stack;
      // The person and the lead stand at the top; the others in the middle of the height.
      const above = layer < 2 ? 0 : (rows - Math.min(stack, ids.length)) / 2;
      const place = column + Math.floor(index / stack);
      nodes.push({
        id,
        layer,
        x: left + (place + 0.5) * cell.width,
        y: (above + row) * cell.height + LAMP + JACK,
      });
    }
    column += shares[layer] ?? 1;
  }
  return { width, height: rows * cell.height, nodes, links, labels: "below", cell };
}

function inRows(
  layers: readonly string[][],
  links: Links,
  width: number,
  columns: number,
): BoardLayout {
  const [person = [], lead = [], ...others] = layers;
  // The person and the lead share a row where there is room.
  const groups = columns > 1 ? [[...person, ...lead], ...others] : layers;
  const cell = { width: width / columns, height: BESIDE };
  const nodes: BoardNode[] = [];
  let row = 0;
  for (const ids of groups) {
    for (const [index, id] of ids.entries()) {
      nodes.push({
        id,
        layer: layers.findIndex((each) => each.includes(id)),
        x: (index % columns) * cell.width + JACK + 12,
        y: (row + Math.floor(index / columns)) * cell.height + LAMP + JACK - 6,
      });
    }
    row += Math.ceil(ids.length / columns);
  }
  return { width, height: row * cell.height, nodes, links, labels: "beside", cell };
}
