import { useMutation } from "@tanstack/react-query";
import type { UpcomingCharge } from "bff/contract/orders";
import type {
  ChangeCardRequest,
  Due,
  OpenLinkCardPageRequest,
  OpenLinkCardPageResponse,
} from "bff/contract/self-service-links";
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
import { Notice } from "../design/notice.tsx";
import { CardPageNotice, CardPageStep } from "../steps/card/card-page-step.tsx";
import { CardStep, type TypedCard } from "../steps/card/card-step.tsx";
import { ChallengeDialog } from "../steps/paying/challenge-dialog.tsx";
import { usePageInquiry } from "../steps/paying/page-inquiry.ts";
import { ArrivingNotice } from "../steps/problem/arriving-notice.tsx";
import { MessageScreen } from "../steps/problem/message-screen.tsx";
import { formatPesos, partsOfMoment } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { CARD_CHANGE_WORDS } from "./card-change-words.ts";
import { isAsking, isNotConfirmed } from "./issuer-challenge.ts";
import { usePageWords } from "./link-page.ts";
import {
  asksForCode,
  behindCode,
  type OpenedPageProps,
  type Settled,
  SettledScreen,
  settledAlready,
  settledBy,
  wasUsed,
} from "./opened-link.tsx";
import { UPCOMING_WORDS } from "./upcoming-words.ts";

/** Gives another card for what is still to be charged. */
export const CardChangePage = behindCode(CARD_CHANGE_WORDS, ChangeCard);

type Stage =
  | { readonly at: "form" | "processing" | Settled }
  | { readonly at: "changed"; readonly due: Due | null }
  /**
   * By an earlier request, perhaps with another card: `last4` of the one that is kept, where it is told. `isConfirmed`: by
   * the one that the patient has just confirmed.
   */
  | { readonly at: "changed_before"; readonly last4: string | undefined; readonly isConfirmed: boolean };

/** The issuer's page, or the card processor's for a card: in the dialog, or left by the patient. */
type Challenge = { readonly url: string; readonly isLeft: boolean; readonly of: "issuer" | "card" };

function ChangeCard({ session, token, parts, opened, close }: OpenedPageProps) {
  const words = useAllWords();
  const own = usePageWords(CARD_CHANGE_WORDS);
  const upcomingWords = usePageWords(UPCOMING_WORDS);
  const named = useNamed();
  const [stage, setStage] = useState<Stage>(() => ({ at: settledAlready(opened.due) ?? "form" }));
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isOnPage = session.card_entry === "page";
  /** A card that was given on the processor's page, or is confirmed there, is asked about where the page was opened. */
  const byPage = useRef(isOnPage);
  const link = { widget_token: token, access: opened.access };
  const [due, setDue] = useState(opened.due);
  const giving = due === null ? null : upcomingOfDue(due, "upcoming_with_given_card");
  // What this page shows of the charge that follows: the service charges as shown, or tells the patient a day before.
  const shown = giving === null ? null : shownChargeOf(giving);
  const showing = shown === null ? {} : { shown };
  const send = (body: Pick<ChangeCardRequest, "sealed_card">) =>
    parts.api.changeCard(session.public_key, { ...link, ...body, ...showing });
  const openPage = (body: Pick<OpenLinkCardPageRequest, "inquire" | "shown">) =>
    parts.api.openCardPage(session.public_key, { ...link, ...body });
  const inquire = (): Promise<Answer<OpenLinkCardPageResponse>> =>
    byPage.current ? openPage({ inquire: true }) : parts.api.changeCard(session.public_key, { ...link, inquire: true });
  const inquiry = usePageInquiry<OpenLinkCardPageResponse>({
    inquire,
    // After the processor's page the issuer may ask: then there is something to show.
    isEnd: (told) =>
      challenge?.of === "card"
        ? told.status !== "open" && told.status !== "processing"
        : told.status !== "open" && !isAsking(told),
    onTold: (answer) => (answer.ok ? take(answer.value) : refuse(answer.problem)),
    wait: parts.wait,
  });
  const changing = useMutation({
    // The card is on its way to be sealed: the mutation never has it. Without one it only asks what came of the last.
    mutationFn: async (given: Promise<string | null> | "inquire" | "open_page") => {
      if (given === "inquire") return valueOrThrow(await inquire());
      if (given === "open_page") return valueOrThrow(await openPage(showing));
      const sealed_card = await given;
      if (sealed_card === null) throw new ProblemError(NOT_SEALED);
      const answer: Answer<OpenLinkCardPageResponse> = await send({ sealed_card });
      byPage.current = !answer.ok && isRefusedAs(answer.problem, "card_page_needed");
      return valueOrThrow<OpenLinkCardPageResponse>(byPage.current ? await inquire() : answer);
    },
    // Whether a card is sent again is the patient's decision; each press seals it anew, with the time of that press.
    retry: false,
    onMutate: () => inquiry.stop(),
    onSuccess: (told, given) => take(told, given === "inquire"),
    onError: (failure, given) => {
      const problem = problemOf(failure);
      // A page has ended for its own word only: it is asked about until the service knows.
      if (given === "inquire" && challenge !== null && !isDefinite(problem)) leave();
      else refuse(problem);
    },
  });

  function change(card: TypedCard): void {
    const { order_token } = opened;
    if (order_token === null) return;
    const iat = Math.floor(parts.clock.now() / 1000);
    changing.mutate(sealedOrNull(parts, { ...card, order_token, iat }, session.sealing_keys.card));
  }

  function take({ status, action, page, due }: OpenLinkCardPageResponse, isAfterPage = false): void {
    setProblem(null);
    if (due !== null) setDue(due);
    const url = action?.url ?? page?.url;
    // A page that is still open after it said that it had ended was left, or the service does not know its end yet.
    const isLeft = isAfterPage && url !== undefined && url === challenge?.url;
    setChallenge(url === undefined ? null : { url, isLeft, of: action === undefined ? "card" : "issuer" });
    if (isLeft) inquiry.start();
    if (status === "changed") setStage({ at: "changed", due });
    else setStage({ at: status === "processing" ? "processing" : "form" });
  }

  function refuse(refused: Problem): void {
    const settled = settledBy(refused);
    setChallenge(null);
    if (asksForCode(refused)) close(refused);
    else if (changedBefore(refused))
      setStage({ at: "changed_before", last4: refused.additions.card_last4, isConfirmed: challenge !== null });
    else if (settled !== null) setStage({ at: settled });
    else {
      setProblem(refused);
      if (isDefinite(refused)) setStage({ at: "form" });
    }
  }

  function leave(): void {
    setChallenge((before) => before && { ...before, isLeft: true });
    // The patient may have confirmed in the bank's app: then the card changes without this page.
    inquiry.start();
  }

  if (stage.at === "changed") return <Changed due={stage.due} />;
  if (stage.at === "changed_before") return <ChangedBefore {...stage} />;
  if (stage.at === "processing") {
    const check = {
      label: own.processing.action,
      onPress: () => changing.mutate("inquire"),
      pending: changing.isPending,
    };
    return (
      <MessageScreen key="processing" words={own.processing} action={check}>
        <ArrivingNotice words={problem === null ? null : problemWords(problem, words)} />
      </MessageScreen>
    );
  }
  if (stage.at !== "form") return <SettledScreen settled={stage.at} />;
  const { day } = partsOfMoment(new Date(parts.clock.now()).toISOString());
  const { left, kept } = own;
  const shared = {
    current: null,
    consents: [],
    consentLocale: session.locale,
    pending: changing.isPending,
    problem: problem === null ? null : problemWords(problem, words),
    onKeep: () => undefined,
    banner:
      challenge?.isLeft === true && challenge.of === "card" ? (
        <CardPageNotice waitsFor="end" isPayment={false} />
      ) : challenge?.isLeft === true ? (
        <Notice tone="warning" role="status" title={left.title}>
          <p>{left.text}</p>
        </Notice>
      ) : isNotConfirmed(problem) && opened.due !== null ? (
        <p>{kept(opened.due.card.last4)}</p>
      ) : null,
  };
  const texts = {
    title: own.form.title,
    intro: giving === null || due === null ? "" : upcomingWords.givingCard[giving.status](named(giving, due)),
    action: upcomingWords.giveCard(formatPesos(giving?.amount ?? 0), giving?.status === "due_now"),
  };
  return (
    <>
      {isOnPage ? (
        <CardPageStep {...shared} texts={texts} onOpen={() => changing.mutate("open_page")} />
      ) : (
        <CardStep
          {...shared}
          today={{ year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) }}
          isRefused={isCardRefused(problem)}
          texts={texts}
          onSubmit={change}
        />
      )}
      {challenge === null || challenge.isLeft ? null : (
        <ChallengeDialog
          url={challenge.url}
          onEnded={() => changing.mutate("inquire")}
          onLeft={leave}
          onOpenedInTab={inquiry.start}
          wait={parts.wait}
          {...(challenge.of === "card" && { texts: words.cardPage.dialog })}
        />
      )}
    </>
  );
}

/** The answer to a change was lost, and it is asked again: while something is still to be charged, nothing else uses the link. */
function changedBefore(problem: Problem): problem is Refusal {
  if (!wasUsed(problem)) return false;
  const { collection_status: status } = problem.additions;
  return status === "scheduled" || status === "processing";
}

/** What the words about a charge name of it. */
function useNamed() {
  const words = useAllWords();
  return ({ amount, day }: UpcomingCharge, { card }: Due) => ({
    amount: formatPesos(amount),
    day: day === null ? "" : words.date(day),
    last4: card.last4,
  });
}

function ChangedBefore({
  last4,
  isConfirmed,
}: Pick<Extract<Stage, { at: "changed_before" }>, "last4" | "isConfirmed">) {
  const { done, doneBefore, kept } = usePageWords(CARD_CHANGE_WORDS);
  return (
    <MessageScreen key="changed-before" words={isConfirmed ? done : doneBefore}>
      {last4 === undefined ? null : <p>{kept(last4)}</p>}
    </MessageScreen>
  );
}

function Changed({ due }: { readonly due: Due | null }) {
  const { done } = usePageWords(CARD_CHANGE_WORDS);
  const { cardGiven } = usePageWords(UPCOMING_WORDS);
  const named = useNamed();
  const upcoming = due === null ? null : upcomingOfDue(due);
  return (
    <MessageScreen key="changed" icon="check" words={done}>
      {upcoming === null || due === null ? null : <p>{cardGiven[upcoming.status](named(upcoming, due))}</p>}
    </MessageScreen>
  );
}
