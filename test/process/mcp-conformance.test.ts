import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import type { FakeAgent } from "../support/fake-agent.ts";
import { FakeTeam } from "../support/fake-team.ts";
import { McpStage } from "../support/mcp-stage.ts";

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const judge = require.resolve("mcp-conformance-next/dist/index.js");

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
`;

/**
 * The judge calls tools by names of its own. Here they are calls of ask_team, whose text says which forms the lead asks
 * the person to fill in, one after the other.
 */
const aliases: Readonly<Record<string, string>> = {
  test_simple_text: "",
  test_input_required_result_elicitation: "user_name",
  test_input_required_result_request_state: "confirm",
  test_input_required_result_multi_round: "step1 step2",
  test_input_required_result_tampered_state: "secret",
};

/**
 * Scenarios of 2026-07-28 that are about what the face does, in the judge's order. Two only warn, and would not be passed
 * by a server that decides nothing without its own signed state: they send answers back without it.
 */
const scenarios = [
  "tools-list",
  "tools-call-simple-text",
  "server-sse-multiple-streams",
  "resources-list",
  "sep-2164-resource-not-found",
  "input-required-result-basic-elicitation",
  "input-required-result-request-state",
  "input-required-result-multi-round",
  "input-required-result-missing-input-response",
  "input-required-result-result-type",
  "input-required-result-unsupported-methods",
  "input-required-result-tampered-state",
  "http-header-validation",
];

/** The lead asks for the forms that the task names, as an MCP server of its own would. */
async function askForForms(said: string, { session }: FakeAgent): Promise<string> {
  for (const request_id of said.split(" ").filter((name) => name !== "-")) {
    const filled = new Promise<unknown>((resolve) => {
      const { onCommand } = session;
      session.onCommand = (command, client) => {
        if (command.type !== "respond") return onCommand(command, client);
        session.onCommand = onCommand;
        client.answer(command, "ok");
        const by = "switchboard";
        session.happen({ type: "approval_resolved", request_id, outcome: "allowed", by });
        resolve(command.content);
      };
    });
    session.happen({
      type: "elicitation",
      request_id,
      server: "judge",
      message: "What is your name?",
      mode: "form",
      schema: { type: "object", properties: { name: { type: "string" } } },
    });
    await filled;
  }
  return "All forms are filled in.";
}

/** The same handlers as on stdio, over HTTP on loopback. */
async function serveHttp(newServer: McpStage["newServer"]): Promise<string> {
  const handler = createMcpHandler(newServer);
  const listener = getRequestListener(async (request) => {
    if (request.method !== "POST") return handler.fetch(request);
    const body = (await request.json()) as { params?: { name?: string; arguments?: object } };
    const headers = new Headers(request.headers);
    const text = aliases[body.params?.name ?? ""];
    if (text !== undefined && body.params) {
      Object.assign(body.params, { name: "ask_team", arguments: { text: text || "-" } });
      if (headers.has("mcp-name")) headers.set("mcp-name", "ask_team");
    }
    headers.delete("content-length");
    const sent = new Request(request.url, { method: "POST", headers, body: JSON.stringify(body) });
    return handler.fetch(sent);
  });
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test.for(scenarios)(
  "the MCP face of a team passes the scenario %s of MCP's conformance suite for 2026-07-28",
  { timeout: 60_000 },
  async (scenario) => {
    const team = await FakeTeam.up(yaml, { boss: askForForms });
    const url = await serveHttp(new McpStage(team.stateDir).newServer);
    const asked = ["server", "--url", url, "--spec-version", "2026-07-28", "--scenario", scenario];
    const { stdout } = await run(process.execPath, [judge, ...asked]).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  },
);
