import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import type { PageState } from "bff/contract/widget-page";
import type { Locale } from "bff/contract/widget-tokens";
import { type ComponentType, useState } from "react";
import { CheckoutVisit, type VisitParts } from "./checkout/checkout-visit.tsx";
import { Frame, Skeleton } from "./design/frame.tsx";
import type { ProblemPageProps } from "./problem-page.tsx";
import { MessageScreen } from "./steps/problem/message-screen.tsx";
import { problemWords } from "./words/problem-words.ts";
import type { FirstWords } from "./words/words.ts";
import { isAllWords, useWords, WordsProvider } from "./words/words-context.tsx";

export interface AppProps {
  /** What the page came with; null where it has to be asked for. */
  readonly state: PageState | null;
  readonly token: string;
  readonly parts: VisitParts;
  /** The screen of a page without a session; null where its code has not been loaded since nothing asks for it. */
  readonly ProblemPage: ComponentType<ProblemPageProps> | null;
  readonly words: FirstWords;
  readonly loadWords: (locale: Locale) => Promise<FirstWords>;
  readonly page: { readonly reload: () => void; readonly openToken: (token: string) => void };
}

/** The checkout as a page: from the state that came with it, or from the answer to the first call. */
export function App({ words: initialWords, loadWords, ...props }: AppProps) {
  const [client] = useState(() => new QueryClient());
  const [words, setWords] = useState(initialWords);
  function changeLocale(locale: Locale): void {
    // Words that cannot be loaded leave the language as it is.
    if (locale !== words.locale) loadWords(locale).then(setWords, () => undefined);
  }
  return (
    <QueryClientProvider client={client}>
      <WordsProvider value={words}>
        {props.state === null ? (
          <Opening {...props} onLocale={changeLocale} />
        ) : (
          <Opened {...props} state={props.state} onLocale={changeLocale} />
        )}
      </WordsProvider>
    </QueryClientProvider>
  );
}

interface OpeningProps extends Omit<AppProps, "words" | "loadWords"> {
  readonly onLocale: (locale: Locale) => void;
}

function Opened({ state, token, parts, page, ProblemPage, onLocale }: OpeningProps & { readonly state: PageState }) {
  if ("session" in state)
    return <CheckoutVisit parts={parts} token={token} session={state.session} onLocale={onLocale} />;
  if (ProblemPage === null) return null;
  return <ProblemPage problem={state.problem} onReload={page.reload} onToken={page.openToken} onLocale={onLocale} />;
}

/** The page came without its state: the session is the first thing to ask for. */
function Opening(props: OpeningProps) {
  const words = useWords();
  const { parts, token } = props;
  const { data, isFetching, refetch } = useQuery({
    queryKey: ["opening", token],
    queryFn: () => parts.readSession(token),
    retry: false,
    networkMode: "always",
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data?.ok === true) {
    parts.clock.set(data.value.server_time);
    return <Opened {...props} state={{ session: data.value }} />;
  }
  return (
    <Frame providerName={null} logoUrl={null} support={null} look={{}} standalone progress={null}>
      {data === undefined ? (
        <Skeleton />
      ) : (
        <MessageScreen
          words={isAllWords(words) ? problemWords(data.problem, words) : words.unloaded}
          action={{ label: words.page.retry, onPress: () => void refetch(), pending: isFetching }}
        />
      )}
    </Frame>
  );
}
