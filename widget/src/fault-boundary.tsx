import type { PageState } from "bff/contract/widget-page";
import type { WidgetSession } from "bff/contract/widget-tokens";
import { Component, type ReactNode } from "react";
import { MessageScreen } from "./checkout/problem/message-screen.tsx";
import { Frame } from "./design/frame.tsx";
import type { FirstWords } from "./words/words.ts";
import { WordsProvider } from "./words/words-context.tsx";

interface FaultBoundaryProps {
  readonly children: ReactNode;
  readonly state: PageState;
  readonly words: FirstWords;
  readonly onReload: () => void;
}

type Contact = Pick<WidgetSession["provider"], "appearance"> & {
  readonly name: string | null;
  readonly support: WidgetSession["provider"]["support"] | null;
};

function contactOf(state: PageState): Contact {
  if ("problem" in state) return { name: state.problem.provider_name, support: state.problem.support, appearance: {} };
  const provider = "session" in state ? state.session.provider : state.returned.provider;
  return provider ?? { name: null, support: null, appearance: {} };
}

/**
 * Replaces the screens after a bug in them. Says so, offers to reload the page, which returns to the same step, and
 * names a contact.
 */
export class FaultBoundary extends Component<FaultBoundaryProps, { readonly hasFault: boolean }> {
  override state = { hasFault: false };

  static getDerivedStateFromError(): { readonly hasFault: boolean } {
    return { hasFault: true };
  }

  override render(): ReactNode {
    const { children, state, words, onReload } = this.props;
    if (!this.state.hasFault) return children;
    const { name, support, appearance } = contactOf(state);
    return (
      <WordsProvider value={words}>
        <Frame
          providerName={name}
          logoUrl={null}
          support={support}
          look={appearance}
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
