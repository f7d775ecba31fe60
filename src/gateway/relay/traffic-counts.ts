/** What `/metrics` tells: how much went through, and how it ended. */
export class Counts {
  framesUp = 0;
  framesDown = 0;
  bytesUp = 0;
  bytesDown = 0;
  /** Times that a browser was too slow, and its server was told to wait. */
  pauses = 0;
  readonly closes = new Map<number, number>();
  readonly refusals = new Map<number, number>();

  close(code: number): void {
    this.closes.set(code, (this.closes.get(code) ?? 0) + 1);
  }

  refuse(status: number): void {
    this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1);
  }
}

/** In the text format of Prometheus. */
export function metricsText(counts: Counts, open: ReadonlyMap<string, number>): string {
  return [
    ...metric("sockets_open", "gauge", "WebSockets that are open now, by role.", "role", open),
    ...single("frames_up_total", "Frames from browsers.", counts.framesUp),
    ...single("frames_down_total", "Frames to browsers.", counts.framesDown),
    ...single("bytes_up_total", "Bytes from browsers.", counts.bytesUp),
    ...single("bytes_down_total", "Bytes to browsers.", counts.bytesDown),
    ...single("pauses_total", "Times that a slow browser made its server wait.", counts.pauses),
    ...metric(
      "closes_total",
      "counter",
      "WebSockets that were closed, by code.",
      "code",
      counts.closes,
    ),
    ...metric(
      "refusals_total",
      "counter",
      "Requests that were refused, by status.",
      "status",
      counts.refusals,
    ),
    "",
  ].join("\n");
}

const single = (name: string, help: string, value: number): string[] => [
  ...head(name, "counter", help),
  `switchboard_gateway_${name} ${value}`,
];

const metric = (
  name: string,
  type: string,
  help: string,
  label: string,
  values: ReadonlyMap<string | number, number>,
): string[] => [
  ...head(name, type, help),
  ...[...values].map(([key, value]) => `switchboard_gateway_${name}{${label}="${key}"} ${value}`),
];

const head = (name: string, type: string, help: string): string[] => [
  `# HELP switchboard_gateway_${name} ${help}`,
  `# TYPE switchboard_gateway_${name} ${type}`,
];
