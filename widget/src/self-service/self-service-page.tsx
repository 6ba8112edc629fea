import { QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { createQueryClient } from "../api/query-client.ts";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { isVisit } from "../checkout/steps.ts";
import { Frame } from "../design/frame.tsx";
import { usePartnerAccent } from "../design/partner-accent.ts";
import { ScreenArrivalProvider } from "../design/screen-title.tsx";
import { useArrival } from "../design/use-arrival.ts";
import { AllWords } from "../words/all-words.tsx";
import { LINK_PROBLEMS } from "../words/link-problems.ts";
import type { ProblemWords } from "../words/words.ts";
import { useAllWords } from "../words/words-context.tsx";
import type { LinkPageProps, PageWords } from "./link-page.ts";
import { LINK_PAGES } from "./link-pages.ts";

/** The page of a self-service link: always top-level, never in a frame. */
export function SelfServicePage(props: LinkPageProps) {
  const [queries] = useState(createQueryClient);
  const frame = useRef<HTMLDivElement>(null);
  const { session, token, parts } = props;
  const { provider } = session;
  const { begin } = parts.shown;
  useEffect(() => begin({ token: () => token, session: () => session }), [begin, token, session]);
  usePartnerAccent(frame, provider.appearance.accent);
  return (
    <AllWords problems={LINK_PROBLEMS}>
      <Frame
        ref={frame}
        providerName={provider.name}
        logoUrl={provider.logo_url}
        support={provider.support}
        look={provider.appearance}
        standalone
        progress={null}
      >
        <ScreenArrivalProvider value={useArrival()}>
          <QueryClientProvider client={queries}>
            <Page {...props} />
          </QueryClientProvider>
        </ScreenArrivalProvider>
      </Frame>
    </AllWords>
  );
}

function Page(props: LinkPageProps) {
  const words = useAllWords();
  const { session } = props;
  const LinkPage = isVisit(session.purpose) ? undefined : LINK_PAGES[session.purpose];
  return LinkPage === undefined ? <MessageScreen words={NOT_AVAILABLE[words.locale]} /> : <LinkPage {...props} />;
}

const NOT_AVAILABLE: PageWords<ProblemWords> = {
  "es-CL": {
    title: "Esto todavía no está disponible aquí",
    text: "Escríbenos y una persona te ayudará a hacerlo.",
  },
  en: {
    title: "This is not available here yet",
    text: "Write to us and a person will help you do it.",
  },
};
