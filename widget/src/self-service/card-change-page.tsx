import { useMutation } from "@tanstack/react-query";
import type { Due } from "bff/contract/self-service-links";
import { useState } from "react";
import {
  isCardRefused,
  NOT_SEALED,
  type Problem,
  ProblemError,
  problemOf,
  type Refusal,
  valueOrThrow,
} from "../api/problem.ts";
import { sealedOrNull } from "../api/sealed-or-null.ts";
import { CardStep, type TypedCard } from "../steps/card/card-step.tsx";
import { MessageScreen } from "../steps/problem/message-screen.tsx";
import { formatPesos, partsOfMoment } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { CARD_CHANGE_WORDS } from "./card-change-words.ts";
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
  | { readonly at: "form" | Settled }
  | { readonly at: "changed"; readonly due: Due | null }
  /** By an earlier request, perhaps with another card: `last4` of the one that is kept, where it is told. */
  | { readonly at: "changed_before"; readonly last4: string | undefined };

function ChangeCard({ session, token, parts, opened, close }: OpenedPageProps) {
  const words = useAllWords();
  const own = usePageWords(CARD_CHANGE_WORDS);
  const [stage, setStage] = useState<Stage>(() => ({ at: settledAlready(opened.due) ?? "form" }));
  const [problem, setProblem] = useState<Problem | null>(null);
  const changing = useMutation({
    // The card is on its way to be sealed: the mutation never has it.
    mutationFn: async (sealed: Promise<string | null>) => {
      const sealed_card = await sealed;
      if (sealed_card === null) throw new ProblemError(NOT_SEALED);
      const body = { widget_token: token, access: opened.access, sealed_card };
      return valueOrThrow(await parts.api.changeCard(session.public_key, body));
    },
    // Whether a card is sent again is the patient's decision; each press seals it anew, with the time of that press.
    retry: false,
    onSuccess: ({ due }) => setStage({ at: "changed", due }),
    onError: (failure) => refuse(problemOf(failure)),
  });

  function change(card: TypedCard): void {
    const { order_token } = opened;
    if (order_token === null) return;
    const iat = Math.floor(parts.clock.now() / 1000);
    changing.mutate(sealedOrNull(parts, { ...card, order_token, iat }, session.sealing_keys.card));
  }

  function refuse(refused: Problem): void {
    const settled = settledBy(refused);
    if (asksForCode(refused)) close(refused);
    else if (changedBefore(refused)) setStage({ at: "changed_before", last4: refused.additions.card_last4 });
    else if (settled !== null) setStage({ at: settled });
    else setProblem(refused);
  }

  if (stage.at === "changed") return <Changed due={stage.due} />;
  if (stage.at === "changed_before") return <ChangedBefore last4={stage.last4} />;
  if (stage.at !== "form") return <SettledScreen settled={stage.at} />;
  const { day } = partsOfMoment(new Date(parts.clock.now()).toISOString());
  const { title, intro, action } = own.form;
  return (
    <CardStep
      current={null}
      consents={[]}
      consentLocale={session.locale}
      today={{ year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) }}
      pending={changing.isPending}
      problem={problem === null ? null : problemWords(problem, words)}
      isRefused={isCardRefused(problem)}
      texts={{ title, intro: intro(formatPesos(opened.due?.amount ?? 0)), action }}
      onSubmit={change}
      onKeep={() => undefined}
    />
  );
}

/** The answer to a change was lost, and it is asked again: while something is still to be charged, nothing else uses the link. */
function changedBefore(problem: Problem): problem is Refusal {
  if (!wasUsed(problem)) return false;
  const { collection_status: status } = problem.additions;
  return status === "scheduled" || status === "processing";
}

function ChangedBefore({ last4 }: { readonly last4: string | undefined }) {
  const { doneBefore, charged } = usePageWords(CARD_CHANGE_WORDS);
  return (
    <MessageScreen key="changed-before" words={doneBefore}>
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
