import { expect, test } from "vitest";
import { modelChoice } from "./model-choice.ts";

test("modelChoice takes over what the CLI says of a model, without efforts that this version does not know", () => {
  expect(
    modelChoice({
      value: "sonnet",
      resolvedModel: "claude-sonnet-5",
      displayName: "Sonnet",
      description: "For everyday work",
      supportedEffortLevels: ["low", "enormous" as "max", "high"],
    }),
  ).toEqual({
    id: "sonnet",
    label: "Sonnet",
    description: "For everyday work",
    model: "claude-sonnet-5",
    efforts: ["low", "high"],
  });
  expect(modelChoice({ value: "plain", displayName: "", description: "" })).toEqual({
    id: "plain",
    label: "plain",
    efforts: [],
  });
});
