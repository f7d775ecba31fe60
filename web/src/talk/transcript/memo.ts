import type { ComponentChildren, FunctionComponent } from "preact";
import { Component, createElement } from "preact";

/** Draws again only when a prop is another one: items keep their identity as long as they are the same. */
export function memo<Props extends object>(
  Inner: (props: Props) => ComponentChildren,
): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const now = this.props as Record<string, unknown>;
      const then = next as Record<string, unknown>;
      return (
        Object.keys(now).length !== Object.keys(then).length ||
        Object.keys(then).some((key) => now[key] !== then[key])
      );
    }

    override render(): ComponentChildren {
      return createElement(Inner as FunctionComponent<Props>, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
