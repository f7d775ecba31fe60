// An MCP server as others write them: JSON-RPC 2.0 on stdin and stdout, one message on each line.

const tool = (name, description) => ({
  name,
  description,
  inputSchema: { type: "object", properties: { fruit: { type: "string" } }, required: ["fruit"] },
});

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shop", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [tool("price", "Returns the price of a fruit."), tool("buy", "Buys a fruit.")],
  }),
  "tools/call": ({ name, arguments: { fruit } }) => ({
    content: [{ type: "text", text: `${name} ${fruit}: 3 ${process.env.SHOP_CURRENCY}` }],
  }),
  ping: () => ({}),
};

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) answer(JSON.parse(line));
});

function answer({ id, method, params }) {
  if (id === undefined) return;
  const outcome = methods[method]
    ? { result: methods[method](params) }
    : { error: { code: -32601, message: `There is no method ${method}.` } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
}
