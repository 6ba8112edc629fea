import { Component, type ReactNode } from "react";
import type { ProblemWords } from "./words/words.ts";

interface FaultBoundaryProps {
  readonly children: ReactNode;
  readonly words: ProblemWords;
  readonly retry: string;
}

/** A fault of ours in the screens: says so and offers to load the page again, where the server knows how far it was. */
export class FaultBoundary extends Component<FaultBoundaryProps, { readonly hasFault: boolean }> {
  override state = { hasFault: false };

  static getDerivedStateFromError(): { readonly hasFault: boolean } {
    return { hasFault: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFault) return this.props.children;
    const { words, retry } = this.props;
    return (
      <main className="aapd-frame" role="alert">
        <h1>{words.title}</h1>
        <p>{words.text}</p>
        <button type="button" onClick={() => location.reload()}>
          {retry}
        </button>
      </main>
    );
  }
}
