import type { PageState } from "bff/contract/widget-page";
import { Component, type ReactNode } from "react";
import { Frame } from "./design/frame.tsx";
import { MessageScreen } from "./steps/problem/message-screen.tsx";
import type { FirstWords } from "./words/words.ts";
import { WordsProvider } from "./words/words-context.tsx";

interface FaultBoundaryProps {
  readonly children: ReactNode;
  readonly state: PageState;
  readonly words: FirstWords;
  readonly onReload: () => void;
}

/**
 * Stands in for the screens after a fault of ours in them. It says so, offers to load the page again, which opens where the
 * patient was, and says how to reach a person.
 */
export class FaultBoundary extends Component<FaultBoundaryProps, { readonly hasFault: boolean }> {
  override state = { hasFault: false };

  static getDerivedStateFromError(): { readonly hasFault: boolean } {
    return { hasFault: true };
  }

  override render(): ReactNode {
    const { children, state, words, onReload } = this.props;
    if (!this.state.hasFault) return children;
    const support = "session" in state ? state.session.provider.support : state.problem.support;
    return (
      <WordsProvider value={words}>
        <Frame
          providerName={"session" in state ? state.session.provider.name : state.problem.provider_name}
          logoUrl={null}
          support={support}
          look={"session" in state ? state.session.provider.appearance : {}}
          standalone={!state.framed}
          progress={null}
        >
          <div role="alert">
            <MessageScreen words={words.fault} action={{ label: words.page.retry, onPress: onReload }} />
          </div>
        </Frame>
      </WordsProvider>
    );
  }
}
