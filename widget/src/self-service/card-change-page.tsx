import { useMutation } from "@tanstack/react-query";
import type { ChangeCardRequest, ChangeCardResponse, Due } from "bff/contract/self-service-links";
import { useState } from "react";
import {
  isCardRefused,
  isDefinite,
  NOT_SEALED,
  type Problem,
  ProblemError,
  problemOf,
  type Refusal,
  valueOrThrow,
} from "../api/problem.ts";
import { sealedOrNull } from "../api/sealed-or-null.ts";
import { Notice } from "../design/notice.tsx";
import { CardStep, type TypedCard } from "../steps/card/card-step.tsx";
import { ChallengeDialog } from "../steps/paying/challenge-dialog.tsx";
import { ArrivingNotice } from "../steps/problem/arriving-notice.tsx";
import { MessageScreen } from "../steps/problem/message-screen.tsx";
import { formatPesos, partsOfMoment } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { CARD_CHANGE_WORDS } from "./card-change-words.ts";
import { isNotConfirmed, useIssuerInquiry } from "./issuer-challenge.ts";
import { usePageWords } from "./link-page.ts";
import {
  asksForCode,
  behindCode,
  type OpenedPageProps,
  type Settled,
  SettledScreen,
  settledAlready,
  settledBy,
  useDayOf,
  wasUsed,
} from "./opened-link.tsx";

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

/** The issuer's page: in the dialog, or left by the patient. */
type Challenge = { readonly url: string; readonly isLeft: boolean };

function ChangeCard({ session, token, parts, opened, close }: OpenedPageProps) {
  const words = useAllWords();
  const own = usePageWords(CARD_CHANGE_WORDS);
  const [stage, setStage] = useState<Stage>(() => ({ at: settledAlready(opened.due) ?? "form" }));
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const ask = (body: Pick<ChangeCardRequest, "sealed_card" | "inquire">) =>
    parts.api.changeCard(session.public_key, { widget_token: token, access: opened.access, ...body });
  const inquiry = useIssuerInquiry({
    inquire: () => ask({ inquire: true }),
    onTold: (answer) => (answer.ok ? take(answer.value) : refuse(answer.problem)),
    wait: parts.wait,
  });
  const changing = useMutation({
    // The card is on its way to be sealed: the mutation never has it. Without one it only asks what came of the last.
    mutationFn: async (sealed: Promise<string | null> | null) => {
      if (sealed === null) return valueOrThrow(await ask({ inquire: true }));
      const sealed_card = await sealed;
      if (sealed_card === null) throw new ProblemError(NOT_SEALED);
      return valueOrThrow(await ask({ sealed_card }));
    },
    // Whether a card is sent again is the patient's decision; each press seals it anew, with the time of that press.
    retry: false,
    onMutate: () => inquiry.stop(),
    onSuccess: (told) => take(told),
    onError: (failure) => refuse(problemOf(failure)),
  });

  function change(card: TypedCard): void {
    const { order_token } = opened;
    if (order_token === null) return;
    const iat = Math.floor(parts.clock.now() / 1000);
    changing.mutate(sealedOrNull(parts, { ...card, order_token, iat }, session.sealing_keys.card));
  }

  function take({ status, action, due }: ChangeCardResponse): void {
    setProblem(null);
    setChallenge(action === undefined ? null : { url: action.url, isLeft: false });
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
    const check = { label: own.processing.action, onPress: () => changing.mutate(null), pending: changing.isPending };
    return (
      <MessageScreen key="processing" words={own.processing} action={check}>
        <ArrivingNotice words={problem === null ? null : problemWords(problem, words)} />
      </MessageScreen>
    );
  }
  if (stage.at !== "form") return <SettledScreen settled={stage.at} />;
  const { day } = partsOfMoment(new Date(parts.clock.now()).toISOString());
  const { title, intro, action } = own.form;
  const { left, kept } = own;
  return (
    <>
      <CardStep
        current={null}
        consents={[]}
        consentLocale={session.locale}
        today={{ year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) }}
        pending={changing.isPending}
        problem={problem === null ? null : problemWords(problem, words)}
        isRefused={isCardRefused(problem)}
        texts={{ title, intro: intro(formatPesos(opened.due?.amount ?? 0)), action }}
        banner={
          challenge?.isLeft === true ? (
            <Notice tone="warning" role="status" title={left.title}>
              <p>{left.text}</p>
            </Notice>
          ) : isNotConfirmed(problem) && opened.due !== null ? (
            <p>{kept(opened.due.card.last4)}</p>
          ) : null
        }
        onSubmit={change}
        onKeep={() => undefined}
      />
      {challenge === null || challenge.isLeft ? null : (
        <ChallengeDialog
          url={challenge.url}
          onEnded={() => changing.mutate(null)}
          onLeft={leave}
          onOpenedInTab={inquiry.start}
          wait={parts.wait}
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

function ChangedBefore({
  last4,
  isConfirmed,
}: Pick<Extract<Stage, { at: "changed_before" }>, "last4" | "isConfirmed">) {
  const { done, doneBefore, charged } = usePageWords(CARD_CHANGE_WORDS);
  return (
    <MessageScreen key="changed-before" words={isConfirmed ? done : doneBefore}>
      {last4 === undefined ? null : <p>{charged(last4)}</p>}
    </MessageScreen>
  );
}

function Changed({ due }: { readonly due: Due | null }) {
  const { done, doneOn, doneOnAtTheLatest } = usePageWords(CARD_CHANGE_WORDS);
  const dayOf = useDayOf();
  const { due_at: chargedAt = null, reason = null } = due ?? {};
  // The first trigger wins, for ever: after it nothing brings the charge forward.
  const saidOn = reason === null ? doneOnAtTheLatest : doneOn;
  return (
    <MessageScreen key="changed" icon="check" words={done}>
      {chargedAt === null ? null : <p>{saidOn(dayOf(chargedAt))}</p>}
    </MessageScreen>
  );
}
