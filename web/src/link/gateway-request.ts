import { KEY_HEADER } from "agent-switchboard/client/core";
import { fromWire } from "agent-switchboard/wire";

interface GatewayRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly body?: object;
}

/**
 * A request with the page's key, which a plain link could not carry.
 *
 * @throws the gateway's error; the browser's when nothing answers.
 */
export async function askGateway(
  key: string,
  path: string,
  { method = "GET", body }: GatewayRequest = {},
): Promise<Response> {
  const answer = await fetch(path, {
    method,
    headers: { [KEY_HEADER]: key, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.ok) return answer;
  throw await errorIn(answer);
}

async function errorIn(answer: Response): Promise<Error> {
  const said: unknown = await answer.json().catch(() => undefined);
  if (typeof said === "object" && said !== null && "code" in said && "message" in said) {
    return fromWire({ code: String(said.code), message: String(said.message) });
  }
  return new Error(`HTTP ${answer.status}`);
}

/** Has the browser save what the gateway sends. @throws as `askGateway` does, also when the answer is cut off. */
export async function saveFile(key: string, path: string, name: string): Promise<void> {
  const answer = await askGateway(key, path);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
