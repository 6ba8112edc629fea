import { useMutation } from "@tanstack/react-query";
import type { ShownPage } from "bff/contract/orders";
import type { Due, OpenLinkCardPageResponse } from "bff/contract/self-service-links";
import { shownChargeOf, upcomingOfDue } from "bff/contract/upcoming-charge";
import { useRef, useState } from "react";
import {
  type Answer,
  isCardRefused,
  isDefinite,
  isRefusedAs,
  NOT_SEALED,
  type Problem,
  ProblemError,
  problemOf,
  type Refusal,
  valueOrThrow,
} from "../api/problem.ts";
import { sealedOrNull } from "../api/sealed-or-null.ts";
import { CardPageNotice, CardPageStep } from "../checkout/card/card-page-step.tsx";
import { CardStep, type TypedCard } from "../checkout/card/card-step.tsx";
import { ChallengeDialog } from "../checkout/paying/challenge-dialog.tsx";
import { usePageInquiry } from "../checkout/paying/page-inquiry.ts";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { Notice } from "../design/notice.tsx";
import { usePageTab } from "../return/page-tab.ts";
import { formatPesos, partsOfMoment } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { CARD_CHANGE_WORDS } from "./card-change-words.ts";
import { isAsking, isNotConfirmed } from "./issuer-challenge.ts";
import { usePageWords } from "./link-page.ts";
import {
  asksForCode,
  behindCode,
  CheckScreen,
  type OpenedPageProps,
  type Settled,
  SettledScreen,
  settledAlready,
  settledBy,
  useChargeText,
  wasUsed,
} from "./opened-link.tsx";
import { UPCOMING_WORDS } from "./upcoming-words.ts";

/** Replaces the card for the pending charge. */
export const CardChangePage = behindCode(CARD_CHANGE_WORDS, ChangeCard);

type Stage =
  | { readonly at: "form" | "processing" | Settled }
  | { readonly at: "changed"; readonly due: Due | null }
  /**
   * Changed by an earlier request, perhaps to another card. `last4` is the saved card's, if the service returns it.
   * `isConfirmed`: the saved card is the one that the patient has just confirmed.
   */
  | { readonly at: "changed_before"; readonly last4: string | undefined; readonly isConfirmed: boolean };

/** The page of the issuer, or of the card processor, in the dialog. `isLeft`: the patient has closed the dialog. */
type Challenge = Pick<ShownPage, "url" | "display"> & {
  readonly isLeft: boolean;
  readonly isInTab: boolean;
  readonly of: "issuer" | "card";
};

export function ChangeCard(props: OpenedPageProps) {
  const own = usePageWords(CARD_CHANGE_WORDS);
  const { cardPage } = useAllWords();
  const change = useCardChange(props);
  const { stage, challenge, problem, pending } = change;

  if (stage.at === "changed") return <Changed due={stage.due} />;
  if (stage.at === "changed_before") return <ChangedBefore {...stage} />;
  if (stage.at === "processing")
    return (
      <CheckScreen
        key="processing"
        words={own.processing}
        problem={problem}
        pending={pending}
        onCheck={change.inquire}
      />
    );
  if (stage.at !== "form") return <SettledScreen settled={stage.at} />;
  return (
    <>
      <CardForm {...props} change={change} />
      {challenge === null || challenge.isLeft ? null : (
        <ChallengeDialog
          page={challenge}
          isInTab={challenge.isInTab}
          onEnded={change.inquire}
          onLeft={change.leave}
          onOpenedInTab={change.askOn}
          wait={props.parts.wait}
          {...(challenge.of === "card" && { texts: cardPage.dialog })}
        />
      )}
    </>
  );
}

/** The calls of this page. The service charges `due` as shown, or notifies the patient a day before. */
function useCardCalls({ session, token, parts, opened }: OpenedPageProps, due: Due | null) {
  /** A card that was entered or confirmed on the processor's page is inquired about where that page was opened. */
  const byPage = useRef(session.card_entry === "page");
  const link = { widget_token: token, access: opened.access };
  const shown = due === null ? null : shownChargeOf(upcomingOfDue(due, "upcoming_with_given_card"));
  const showing = shown === null ? {} : { shown };
  const { changeCard, openCardPage } = parts.api;
  const { public_key: publicKey } = session;

  const openPage = () => openCardPage(publicKey, { ...link, ...showing });
  const inquire = (): Promise<Answer<OpenLinkCardPageResponse>> =>
    (byPage.current ? openCardPage : changeCard)(publicKey, { ...link, inquire: true });
  async function send(sealed_card: string): Promise<Answer<OpenLinkCardPageResponse>> {
    const answer = await changeCard(publicKey, { ...link, sealed_card, ...showing });
    byPage.current = !answer.ok && isRefusedAs(answer.problem, "card_page_needed");
    return byPage.current ? inquire() : answer;
  }
  return { openPage, inquire, send };
}

function useCardChange(props: OpenedPageProps) {
  const { session, parts, opened, close } = props;
  const [stage, setStage] = useState<Stage>(() => ({ at: settledAlready(opened.due) ?? "form" }));
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [due, setDue] = useState(opened.due);
  const calls = useCardCalls(props, due);
  const { cardPage } = useAllWords();
  const tab = usePageTab(session.card_page_display);
  /** Whether the service has taken a card of this page that has no result yet. */
  const isTaken = useRef(false);
  /** Whether polling ends when a page is ready. Otherwise, for one that was left or is in a tab, with that page. */
  const waitsForPage = useRef(false);
  const inquiry = usePageInquiry<OpenLinkCardPageResponse>({
    inquire: calls.inquire,
    isEnd(outcome) {
      // The processor's page may be followed by the issuer's challenge, which ends the polling too.
      if (waitsForPage.current || challenge?.of === "card")
        return outcome.status !== "processing" && (outcome.status !== "open" || waitsForPage.current);
      return outcome.status !== "open" && !isAsking(outcome);
    },
    onOutcome: (answer) => (answer.ok ? take(answer.value) : refuse(answer.problem)),
    wait: parts.wait,
  });
  const changing = useMutation({
    // The mutation only ever holds a sealed card. Without one it inquires about the last attempt.
    mutationFn: async (given: Promise<string | null> | "inquire" | "openPage") => {
      if (given === "inquire" || given === "openPage") return valueOrThrow(await calls[given]());
      const sealed = await given;
      if (sealed === null) throw new ProblemError(NOT_SEALED);
      return valueOrThrow(await calls.send(sealed));
    },
    // The patient decides whether to send a card again: each press seals it with its own time.
    retry: false,
    onMutate: () => inquiry.stop(),
    onSuccess: (outcome, given) => take(outcome, given === "inquire"),
    onError: (failure, given) => {
      const problem = problemOf(failure);
      // The page's own message does not prove that it has ended, so poll until the service knows the outcome.
      if (given === "inquire" && challenge !== null && !isDefinite(problem)) leave();
      else refuse(problem);
    },
  });

  function give(card: TypedCard): void {
    const { order_token } = opened;
    if (order_token === null) return;
    const iat = Math.floor(parts.clock.now() / 1000);
    changing.mutate(sealedOrNull(parts, { ...card, order_token, iat }, session.sealing_keys.card));
  }

  function poll({ forPage = false } = {}): void {
    waitsForPage.current = forPage;
    inquiry.start();
  }

  function take({ status, action, page, due }: OpenLinkCardPageResponse, isAfterPage = false): void {
    isTaken.current = true;
    setProblem(null);
    if (due !== null) setDue(due);
    const shown = action ?? page;
    // Still open after the page reported its end: the patient left it, or the service does not know the outcome yet.
    const isLeft = isAfterPage && shown !== undefined && shown.url === challenge?.url;
    const isInTab = tab.fill(shown);
    setChallenge(
      shown === undefined ? null : { ...shown, isLeft, isInTab, of: action === undefined ? "card" : "issuer" },
    );
    if (isLeft || isInTab) poll();
    else if (status === "processing") poll({ forPage: true });
    if (status === "changed") setStage({ at: "changed", due });
    else setStage({ at: status === "processing" ? "processing" : "form" });
  }

  function refuse(refused: Problem): void {
    const settled = settledBy(refused);
    tab.fill();
    setChallenge(null);
    if (asksForCode(refused)) close(refused);
    else if (changedBefore(refused))
      setStage({ at: "changed_before", last4: refused.additions.card_last4, isConfirmed: isTaken.current });
    else if (settled !== null) setStage({ at: settled });
    else {
      setProblem(refused);
      if (isDefinite(refused)) {
        isTaken.current = false;
        setStage({ at: "form" });
      }
    }
  }

  function leave(): void {
    setChallenge((before) => before && { ...before, isLeft: true });
    // The patient may have confirmed in the bank's app. The card then changes without this page.
    poll();
  }

  return {
    stage,
    challenge,
    problem,
    due,
    pending: changing.isPending,
    give,
    openPage: () => {
      tab.open(cardPage.processing.title);
      changing.mutate("openPage");
    },
    inquire: () => changing.mutate("inquire"),
    askOn: () => poll(),
    leave,
  };
}

/** The upcoming charge, and the card fields or the link to the processor's card page. */
function CardForm({ session, parts, change }: OpenedPageProps & { readonly change: ReturnType<typeof useCardChange> }) {
  const words = useAllWords();
  const { form } = usePageWords(CARD_CHANGE_WORDS);
  const { onPress, onAdding, pay } = usePageWords(UPCOMING_WORDS);
  const chargeText = useChargeText();
  const { due, problem } = change;
  const giving = due === null ? null : upcomingOfDue(due, "upcoming_with_given_card");
  const amount = formatPesos(giving?.amount ?? 0);
  const isChargedNow = giving?.status === "due_now";
  const isOnPage = session.card_entry === "page";
  const shared = {
    consents: [],
    consentLocale: session.locale,
    pending: change.pending,
    problem: problem === null ? null : problemWords(problem, words),
    banner: <FormBanner {...change} />,
    texts: {
      title: form.title,
      intro: isChargedNow ? (isOnPage ? onAdding : onPress)(amount) : giving === null ? "" : chargeText(giving),
      action: isChargedNow ? pay(amount) : isOnPage ? words.cardPage.action : form.action,
    },
  };
  if (isOnPage) return <CardPageStep {...shared} onOpen={change.openPage} />;
  const { day } = partsOfMoment(new Date(parts.clock.now()).toISOString());
  return (
    <CardStep
      {...shared}
      today={{ year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) }}
      isRefused={isCardRefused(problem)}
      onSubmit={change.give}
    />
  );
}

/** The result of the last attempt, with the saved card if the new one was refused. */
function FormBanner({
  challenge,
  problem,
  due,
}: Pick<ReturnType<typeof useCardChange>, "challenge" | "problem" | "due">) {
  const { paying } = useAllWords();
  const { left, kept } = usePageWords(CARD_CHANGE_WORDS);
  if (challenge?.isLeft === true)
    return challenge.of === "card" ? (
      <CardPageNotice waitsFor="end" />
    ) : (
      <Notice tone="warning" role="status" title={paying.challengeLeft.title}>
        <p>{left}</p>
      </Notice>
    );
  if (due === null) return null;
  // Names the saved card while it is charged, or after another one was not confirmed.
  return isNotConfirmed(problem) || upcomingOfDue(due).status === "in_flight" ? <p>{kept(due.card.last4)}</p> : null;
}

/**
 * The result of a change whose answer was lost. While a charge is pending, only a change of card uses the link.
 */
function changedBefore(problem: Problem): problem is Refusal {
  if (!wasUsed(problem)) return false;
  const { collection_status: status } = problem.additions;
  return status === "scheduled" || status === "processing";
}

function ChangedBefore({
  last4,
  isConfirmed,
}: Pick<Extract<Stage, { at: "changed_before" }>, "last4" | "isConfirmed">) {
  const { done, doneBefore, kept } = usePageWords(CARD_CHANGE_WORDS);
  return (
    <MessageScreen key="changed-before" words={isConfirmed ? { title: done } : doneBefore}>
      {last4 === undefined ? null : <p>{kept(last4)}</p>}
    </MessageScreen>
  );
}

function Changed({ due }: { readonly due: Due | null }) {
  const { done, kept } = usePageWords(CARD_CHANGE_WORDS);
  const chargeText = useChargeText();
  if (due === null) return <MessageScreen key="changed" icon="check" words={{ title: done }} />;
  return (
    <MessageScreen key="changed" icon="check" words={{ title: done, text: chargeText(upcomingOfDue(due)) }}>
      <p>{kept(due.card.last4)}</p>
    </MessageScreen>
  );
}
