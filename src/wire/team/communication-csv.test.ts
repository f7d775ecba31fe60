import { expect, test } from "vitest";
import { toCsv } from "./communication-csv.ts";

test("the log as a table: quoted where it must be, and nothing that a spreadsheet would run", () => {
  const entry = {
    timestamp: "2026-11-15T12:00:00.000Z",
    id: "1",
    level: "ERROR" as const,
    from_agent: "boss",
    to_agent: "coder",
    message_type: "info" as const,
    message_size: 3,
    duration_ms: null,
    success: false,
    error: '=cmd, "x"',
  };
  expect(toCsv([entry])).toBe(
    "timestamp,level,from_agent,to_agent,message_type,message_size,duration_ms,success,error,note\r\n" +
      '2026-11-15T12:00:00.000Z,ERROR,boss,coder,info,3,,false,"\'=cmd, ""x""",\r\n',
  );
});
