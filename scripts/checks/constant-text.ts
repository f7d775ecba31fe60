import type { Node } from "oxc-parser";

/** All that an expression can stand for, as far as it is written there word for word; nothing when it is computed. */
export function textsOf(node: Node | undefined): string[] {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? [node.value] : [];
    case "TemplateLiteral":
      return node.expressions.length === 0
        ? node.quasis.flatMap(({ value }) => value.cooked ?? [])
        : [];
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
      return textsOf(node.expression);
    case "ConditionalExpression": {
      const both = [textsOf(node.consequent), textsOf(node.alternate)];
      return both.every(({ length }) => length > 0) ? both.flat() : [];
    }
    default:
      return [];
  }
}
