import { describe } from "vitest";
import { memoryAdapter, sqliteAdapter } from "../../support/bus/stage.ts";
import { claiming } from "./claiming.ts";
import { finding } from "./finding.ts";
import { recording } from "./recording.ts";
import { sending } from "./sending.ts";
import { settling } from "./settling.ts";

describe.each([sqliteAdapter, memoryAdapter])("the bus in $name", (adapter) => {
  sending(adapter);
  claiming(adapter);
  settling(adapter);
  finding(adapter);
  recording(adapter);
});
