import { QueryClientProvider } from "@tanstack/react-query";
import type { PageProblem } from "bff/contract/widget-page";
import type { Locale } from "bff/contract/widget-tokens";
import { useEffect, useRef, useState } from "react";
import type { CheckoutApi } from "./api/checkout-api.ts";
import { createQueryClient } from "./api/query-client.ts";
import { PaidStep } from "./checkout/done/done-step.tsx";
import { FileDownloads } from "./checkout/done/file-downloads.tsx";
import { ExpiredScreen } from "./checkout/problem/expired-screen.tsx";
import { MessageScreen } from "./checkout/problem/message-screen.tsx";
import { isVisit } from "./checkout/steps.ts";
import { type ConnectHost, useHost, useReportedHeight } from "./checkout/use-host.ts";
import { type Renewal, useRenewal } from "./checkout/use-renewal.ts";
import { Frame, type FrameLook } from "./design/frame.tsx";
import { AllWords } from "./words/all-words.tsx";
import { LINK_PROBLEMS } from "./words/link-problems.ts";
import { wordsOfCode } from "./words/problem-words.ts";
import { useAllWords } from "./words/words-context.tsx";

/** Codes for temporary problems, after which reloading the page can help. */
const PASSING: readonly PageProblem["code"][] = [
  "internal_error",
  "service_unavailable",
  "upstream_unavailable",
  "rate_limited",
];
/** Codes that only the clinic can resolve, on its own page or in its set-up. */
const FOR_INTEGRATOR: readonly PageProblem["code"][] = [
  "invalid_public_key",
  "invalid_provider",
  "origin_not_registered",
];

export interface ProblemPageProps {
  readonly problem: PageProblem;
  /** Whether the server believes the page is framed. */
  readonly framed: boolean;
  readonly connect: ConnectHost;
  readonly makeFile: CheckoutApi["makeFile"];
  readonly onReload: () => void;
  readonly onToken: (token: string) => void;
  readonly onLocale: (locale: Locale) => void;
}

/** A page without a session: why, what to do next, and the outcome of a used checkout until it expires. */
export function ProblemPage(props: ProblemPageProps) {
  const { purpose } = props.problem;
  return (
    <AllWords problems={purpose === null || isVisit(purpose) ? undefined : LINK_PROBLEMS}>
      <ProblemFrame {...props} />
    </AllWords>
  );
}

function ProblemFrame({ problem, connect, makeFile, onReload, onToken, onLocale, ...page }: ProblemPageProps) {
  const [look, setLook] = useState<FrameLook>({});
  const frame = useRef<HTMLDivElement>(null);
  const host = useHost(connect, problem, page.framed, (message) => {
    if (message.type === "hello") {
      setLook(message.payload.appearance ?? {});
      if (message.payload.locale && !problem.locale_chosen) onLocale(message.payload.locale);
    } else if (message.type === "appearance") setLook((before) => ({ ...before, ...message.payload }));
    else if (message.type === "locale") onLocale(message.payload.locale);
    else if (message.type === "token") void renewal.take(message);
    else if (message.type === "host_closing") host.say({ type: "close_requested", payload: {} });
  });
  const { framed, isHeard, say, goBack } = host;
  const renewal = useRenewal(host, {
    isExpired: problem.code === "widget_token_expired",
    takeToken: async (token) => {
      onToken(token);
      return true;
    },
  });
  useReportedHeight(frame, say);

  const { code, order } = problem;
  const isOutcome = order !== null;
  useEffect(() => {
    say({ type: "ready", payload: {} });
    if (isOutcome) return;
    const audience = FOR_INTEGRATOR.includes(code) ? "integrator" : "patient";
    const recoverable = PASSING.includes(code) || code === "widget_token_expired";
    say({ type: "error", payload: { code, audience, recoverable, trace_id: null } });
  }, [say, code, isOutcome]);

  return (
    <Frame
      ref={frame}
      providerName={problem.provider_name}
      logoUrl={null}
      support={problem.support}
      look={look}
      standalone={!framed}
      progress={null}
    >
      {order === null ? (
        <Why
          code={code}
          onReload={onReload}
          providerName={problem.provider_name ?? ""}
          renewal={isHeard ? renewal : null}
          onClose={goBack}
        />
      ) : (
        <Outcome order={order} problem={problem} makeFile={makeFile} onClose={goBack} />
      )}
    </Frame>
  );
}

interface WhyProps {
  readonly code: PageProblem["code"];
  readonly onReload: () => void;
  readonly providerName: string;
  /** Null if there is no embedding page to mint a fresh token. */
  readonly renewal: Renewal | null;
  readonly onClose: (() => void) | null;
}

function Why({ code, onReload, ...ways }: WhyProps) {
  const words = useAllWords();
  const explained = wordsOfCode(code, words);
  if (code === "widget_token_expired") return <ExpiredScreen words={explained} {...ways} />;
  return (
    <MessageScreen
      words={explained}
      action={PASSING.includes(code) ? { label: words.page.retry, onPress: onReload } : null}
    />
  );
}

interface OutcomeProps extends Pick<ProblemPageProps, "makeFile"> {
  readonly order: NonNullable<PageProblem["order"]>;
  readonly problem: PageProblem;
  readonly onClose: (() => void) | null;
}

/** The outcome of the payment that this token was for, to read, print and download. */
function Outcome({ order, problem, makeFile, onClose }: OutcomeProps) {
  const [queries] = useState(createQueryClient);
  const words = useAllWords();
  if (order.status === "pending" || order.status === "cancelled") {
    return <MessageScreen words={words.done.statuses[order.status]} />;
  }
  return (
    <>
      <PaidStep
        order={order}
        providerName={problem.provider_name ?? ""}
        isOutcome
        onGiveAccess={null}
        onClose={onClose}
      />
      {problem.client_id === null || order.paid_at === null ? null : (
        <QueryClientProvider client={queries}>
          <FileDownloads makeFile={makeFile} clientId={problem.client_id} order={order} />
        </QueryClientProvider>
      )}
    </>
  );
}
