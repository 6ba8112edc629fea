import type { UpcomingCharge } from "bff/contract/orders";
import type { AnswerLinkCodeResponse, Due } from "bff/contract/self-service-links";
import { upcomingOfDue } from "bff/contract/upcoming-charge";
import type { ComponentType } from "react";
import type { Problem, Refusal } from "../api/problem.ts";
import { ArrivingNotice } from "../checkout/problem/arriving-notice.tsx";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { formatPesos, partsOfMoment } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import type { ProblemWords } from "../words/words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { CodeGate } from "./code-gate.tsx";
import { type LinkPage, type LinkPageProps, type PageWords, usePageWords } from "./link-page.ts";
import { LINK_WORDS } from "./link-words.ts";
import { UPCOMING_WORDS } from "./upcoming-words.ts";

/** The props of a page behind a link and its code. */
export interface OpenedPageProps extends LinkPageProps {
  readonly opened: AnswerLinkCodeResponse;
  /** Returns to the code, and shows why. */
  readonly close: (problem: Problem) => void;
}

/** The page of a link that shows `Opened` once the code was answered. */
export function behindCode(words: PageWords<ProblemWords>, Opened: ComponentType<OpenedPageProps>): LinkPage {
  return function PageBehindCode(props) {
    const { session, token, parts } = props;
    const { public_key: publicKey } = session;
    const { title, text } = usePageWords(words);
    const { gate } = usePageWords(LINK_WORDS);
    return (
      <CodeGate
        words={{ ...gate, title, text: `${text} ${gate.text}` }}
        clock={parts.clock}
        sendCode={() => parts.api.sendCode(publicKey, { widget_token: token })}
        answerCode={(code) => parts.api.answerCode(publicKey, { widget_token: token, code })}
      >
        {(opened, close) => <Opened {...props} opened={opened} close={close} />}
      </CodeGate>
    );
  };
}

/** True for a refusal that requires the patient to answer a code again. */
export function asksForCode(problem: Problem): boolean {
  return problem.kind === "refused" && problem.code === "patient_code_required";
}

/**
 * Why the link can do nothing more: the state of its order or, if that is unknown, that the link was used. `on_hold`:
 * nothing can be done now, but a charge may still come.
 */
export type Settled = "collected" | "nothing_due" | "on_hold" | "failed" | "used";

/** True if the link was used: for its purpose, perhaps in a request whose answer was lost, or by another action. */
export function wasUsed(problem: Problem): problem is Refusal {
  return problem.kind === "refused" && problem.code === "widget_token_used";
}

/** The order's state according to a refusal; null if the refusal has none. A used link does not imply a payment. */
export function settledBy(problem: Problem): Settled | null {
  if (problem.kind !== "refused") return null;
  if (problem.code === "order_not_payable") return "on_hold";
  if (!wasUsed(problem)) return null;
  switch (problem.additions.collection_status) {
    case "collected":
      return "collected";
    case "cancelled":
      return "nothing_due";
    case "failed":
      return "failed";
    default:
      return "used";
  }
}

/**
 * The order's state according to the answer to the code; null while something is to be charged, or a charge is in
 * flight.
 */
export function settledAlready(due: Due | null): Settled | null {
  if (due === null) return "on_hold";
  if (due.status === "collected") return "collected";
  const { status, amount } = upcomingOfDue(due);
  if (status === "none") return "nothing_due";
  return status === "on_hold" && amount === 0 ? status : null;
}

export function SettledScreen({ settled }: { readonly settled: Settled }) {
  const own = usePageWords(LINK_WORDS);
  const { charge, onHoldTitle } = usePageWords(UPCOMING_WORDS);
  const { problems } = useAllWords();
  const onHold = { title: onHoldTitle, text: charge.on_hold("", "") };
  const words = { ...own, on_hold: onHold, used: problems.widget_token_used }[settled];
  return <MessageScreen key={settled} icon={settled === "collected" ? "check" : "info"} words={words} />;
}

export interface CheckScreenProps {
  readonly words: ProblemWords;
  /** The problem of the last inquiry. */
  readonly problem: Problem | null;
  readonly pending: boolean;
  readonly onCheck: () => void;
}

/** The outcome is not known yet, and the patient may inquire about it. */
export function CheckScreen({ words, problem, pending, onCheck }: CheckScreenProps) {
  const all = useAllWords();
  const { check } = usePageWords(LINK_WORDS);
  return (
    <MessageScreen words={words} action={{ label: check, onPress: onCheck, pending }}>
      <ArrivingNotice words={problem === null ? null : problemWords(problem, all)} />
    </MessageScreen>
  );
}

/** The sentence about an upcoming charge. */
export function useChargeText(): (upcoming: UpcomingCharge) => string {
  const { date } = useAllWords();
  const { charge } = usePageWords(UPCOMING_WORDS);
  return ({ status, amount, day }) => charge[status](formatPesos(amount), day === null ? "" : date(day));
}

/** `2027-01-05T12:00:00Z` → `5 de enero de 2027`, by the calendar in Chile. */
export function useDayOf(): (moment: string) => string {
  const words = useAllWords();
  return (moment) => words.date(partsOfMoment(moment).day);
}
