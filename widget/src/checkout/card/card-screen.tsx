import type { SavedCardView } from "bff/contract/orders";
import { useEffect, useState } from "react";
import { isCardRefused } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { Notice } from "../../design/notice.tsx";
import { partsOfMoment } from "../../words/format.ts";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { ChallengeDialog } from "../paying/challenge-dialog.tsx";
import { type DeclinedCard, useDeclined } from "../paying/use-declined.tsx";
import { offersRecognition, savedCardOf } from "../recognition.ts";
import { backOf, type StepProps } from "../step-props.ts";
import type { Checkout } from "../use-checkout.ts";
import { CardPageNotice, CardPageStep } from "./card-page-step.tsx";
import { CardStep } from "./card-step.tsx";
import type { KnownCards } from "./known-cards.tsx";
import { useAddCard } from "./use-add-card.ts";
import { type OpenedPage, useCardPage } from "./use-card-page.ts";
import { useChooseCard } from "./use-choose-card.ts";

export function CardScreen({ checkout, context, pending, problem }: StepProps) {
  const words = useAllWords();
  const cardPage = useCardPage(context);
  const addCard = useAddCard(context, { onPageNeeded: (refusal) => void cardPage.resume(refusal) });
  const { session, order, state, actions, isSeen } = checkout;
  const { visit } = context;
  const key = session.sealing_keys.card;
  const isOnPage = session.card_entry === "page";
  const [firstKid, setFirstKid] = useState(key?.kid);
  if (firstKid === undefined && key !== null) setFirstKid(key.kid);
  useEffect(() => {
    // The processor was unavailable when the page was opened.
    if (isSeen && key === null && !isOnPage) void visit.refreshSession();
  }, [isSeen, key, isOnPage, visit]);
  const isMissing = order?.payment_method === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what the step opens with is asked about.
  useEffect(() => {
    if (isSeen && isOnPage && isMissing) void cardPage.resume(null);
  }, [isSeen]);
  const { day } = partsOfMoment(new Date(context.clock.now()).toISOString());
  const declined = useDeclined(checkout, { problem, pending });
  const chooseCard = useChooseCard(context);
  const shared = {
    known: { ...knownCards(checkout, declined), onChoose },
    pending,
    problem: declined?.problem ?? (problem && problemWords(problem, words)),
    ...(declined && { texts: words.declined }),
    consents: session.consents.filter(({ step }) => step === "card"),
    consentLocale: session.locale,
    onBack: backOf(checkout),
    banner: (
      <>
        {declined?.retry}
        <CardPageNotice waitsFor={waitsFor(cardPage.page)} />
        <Known checkout={checkout} pending={pending} problem={problem} />
      </>
    ),
  };
  function onChoose(card: SavedCardView): void {
    const saved = state.recognition.cards.find((each) => each === card);
    if (saved === undefined || saved === shared.known.current) actions.continue();
    else chooseCard(saved);
  }
  const dialog = <CardPageDialog of={cardPage} wait={context.wait} />;
  if (isOnPage)
    return (
      <>
        <CardPageStep {...shared} onOpen={cardPage.open} />
        {dialog}
      </>
    );
  return (
    <>
      <CardStep
        {...shared}
        // A fresh token has a new sealing key, which clears input for the old key. Input is kept if there was no key
        // before.
        key={key === null || key.kid === firstKid ? "first" : key.kid}
        today={{ year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) }}
        isRefused={isCardRefused(problem)}
        onSubmit={addCard}
      />
      {dialog}
    </>
  );
}

/** The order's card and the saved ones. A declined card is offered only by `retry`, if trying again can help. */
function knownCards({ order, state }: Checkout, declined: DeclinedCard | null): Pick<KnownCards, "cards" | "current"> {
  const own = order?.payment_method ?? null;
  const saved = savedCardOf(state.recognition, own);
  // A saved card has no security code to mistype, so only a typed card is declined for that.
  const hard = order?.declined_cards?.filter((card) => card.decline_reason !== "security_code_wrong") ?? [];
  const declinedToo = hard.map((card) => savedCardOf(state.recognition, card));
  const cards = state.recognition.cards.filter((card) => !declinedToo.includes(card));
  if (declined !== null)
    return { cards: declined.retry === null ? cards : cards.filter((card) => card !== saved), current: undefined };
  return own === null || saved !== undefined ? { cards, current: saved } : { cards: [own, ...cards], current: own };
}

/** The event that the screen waits for while the page is not visible. */
function waitsFor(page: OpenedPage | null): "page" | "end" | null {
  return page && (page.page ? (page.isLeft ? "end" : null) : "page");
}

interface CardPageDialogProps {
  readonly of: Pick<ReturnType<typeof useCardPage>, "page" | "ended" | "leave" | "openedInTab">;
  readonly wait: StepProps["context"]["wait"];
}

function CardPageDialog({ of: { page, ended, leave, openedInTab }, wait }: CardPageDialogProps) {
  const { cardPage } = useAllWords();
  if (!page?.page || page.isLeft) return null;
  return (
    <ChallengeDialog
      page={page.page}
      isInTab={page.isInTab}
      onEnded={ended}
      onLeft={leave}
      onOpenedInTab={openedInTab}
      wait={wait}
      texts={cardPage.dialog}
    />
  );
}

/** Shown above the fields to a patient who is known, or may be. */
function Known({ checkout, pending, problem }: Omit<StepProps, "context">) {
  const words = useAllWords();
  const { order, state, facts, actions } = checkout;
  const { recognition, steps } = state;
  if (recognition.cards.length > 0) return null;
  if (recognition.is === "recognised" && problem === null && order?.payment_method === null) {
    const { title, cardMissing } = words.recognised;
    return (
      <Notice tone="success" role="status" title={title}>
        <p>{cardMissing}</p>
      </Notice>
    );
  }
  return offersRecognition(recognition, steps, facts) ? (
    <Button kind="quiet" onPress={() => actions.open("summary")} unavailable={pending}>
      {words.recognised.open}
    </Button>
  ) : null;
}
