import { Component, type ComponentChild } from "preact";

interface SameProps<Value> {
  readonly value: Value;
  readonly draw: (value: Value) => ComponentChild;
}

/** Draws a value once: it is drawn again only when it is another value. */
export class Same<Value> extends Component<SameProps<Value>> {
  override shouldComponentUpdate(next: SameProps<Value>): boolean {
    return next.value !== this.props.value || next.draw !== this.props.draw;
  }

  override render({ value, draw }: SameProps<Value>): ComponentChild {
    return draw(value);
  }
}
