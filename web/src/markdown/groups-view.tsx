import { Component, type ComponentChild, type VNode } from "preact";
import { Same } from "../code/same.tsx";
import type { Groups } from "./blocks.ts";

interface SameGroupProps<Part> {
  readonly parts: readonly Part[];
  readonly draw: (part: Part) => ComponentChild;
}

/** Parts that stay what they are, compared as one and then each. */
class SameGroup<Part> extends Component<SameGroupProps<Part>> {
  override shouldComponentUpdate(next: SameGroupProps<Part>): boolean {
    return next.parts !== this.props.parts || next.draw !== this.props.draw;
  }

  override render({ parts, draw }: SameGroupProps<Part>): ComponentChild {
    return parts.map((part, index) => <Same key={index} value={part} draw={draw} />);
  }
}

/** Groups that are full are compared as one. The open part stands where it will stand when it is final. */
export function groupsView<Part>(
  { full, last }: Groups<Part>,
  open: Part | undefined,
  draw: (part: Part) => VNode,
): ComponentChild {
  const end = open === undefined ? last : [...last, open];
  const all = end.length === 0 ? full : [...full, end];
  return all.map((group, index) => <SameGroup key={index} parts={group} draw={draw} />);
}
