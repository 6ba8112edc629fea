import type { PageState } from "bff/contract/widget-page";
import type { Locale } from "bff/contract/widget-tokens";
import { type ComponentType, useState } from "react";
import { CheckoutVisit, type VisitParts } from "./checkout/checkout-visit.tsx";
import { isVisit } from "./checkout/steps.ts";
import type { ProblemPageProps } from "./problem-page.tsx";
import type { ReturnPageProps, ReturnParts } from "./return/return-page.tsx";
import type { LinkPage, SelfServiceParts } from "./self-service/link-page.ts";
import type { FirstWords } from "./words/words.ts";
import { LocaleSwitchProvider, WordsProvider } from "./words/words-context.tsx";

/** The self-service pages and their dependencies. */
export interface SelfService {
  readonly Page: LinkPage;
  readonly parts: SelfServiceParts;
}

/** The page that patients return to from a bank or card processor, and its dependencies. */
export interface Returning {
  readonly Page: ComponentType<ReturnPageProps>;
  readonly parts: ReturnParts;
}

export interface AppProps {
  readonly state: PageState;
  readonly token: string;
  readonly parts: VisitParts;
  /** The screen of a page without a session; null unless it is needed, because its code is loaded on demand. */
  readonly ProblemPage: ComponentType<ProblemPageProps> | null;
  /** Null unless the token is for self-service. */
  readonly selfService: SelfService | null;
  /** Null unless this is the return page. */
  readonly returning: Returning | null;
  readonly words: FirstWords;
  readonly loadWords: (locale: Locale) => Promise<FirstWords>;
  readonly page: { readonly reload: () => void; readonly openToken: (token: string) => void };
}

/** Renders the checkout's page from the state that came with it. */
export function App(props: AppProps) {
  const { loadWords } = props;
  const [words, setWords] = useState(props.words);
  function changeLocale(locale: Locale): void {
    // If the words cannot be loaded, the language does not change.
    if (locale !== words.locale) loadWords(locale).then(setWords, () => undefined);
  }
  function chooseLocale(locale: Locale): void {
    changeLocale(locale);
    void props.parts.keepLocale(locale);
  }
  return (
    <WordsProvider value={words}>
      <LocaleSwitchProvider value={chooseLocale}>
        <Page {...props} onLocale={changeLocale} />
      </LocaleSwitchProvider>
    </WordsProvider>
  );
}

type PageProps = Omit<AppProps, "words" | "loadWords"> & { readonly onLocale: (locale: Locale) => void };

function Page({ state, token, parts, ProblemPage, selfService, returning, page, onLocale }: PageProps) {
  if ("returned" in state) {
    return returning === null ? null : (
      <returning.Page returned={state.returned} framed={state.framed} parts={returning.parts} />
    );
  }
  if ("problem" in state) {
    return ProblemPage === null ? null : (
      <ProblemPage
        problem={state.problem}
        framed={state.framed}
        connect={parts.connect}
        makeFile={parts.makeFile}
        onReload={page.reload}
        onToken={page.openToken}
        onLocale={onLocale}
      />
    );
  }
  const { session } = state;
  if (isVisit(session.purpose))
    return <CheckoutVisit parts={parts} token={token} session={session} framed={state.framed} onLocale={onLocale} />;
  return selfService === null ? null : <selfService.Page session={session} token={token} parts={selfService.parts} />;
}
