import { useState } from "react";
import type { Problem } from "../api/problem.ts";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { useGiveAccess } from "../checkout/use-give-access.ts";
import { AccessForm, accessConsents } from "../form/access-form.tsx";
import { INSURER_ACCESS_WORDS } from "./insurer-access-words.ts";
import { usePageWords } from "./link-page.ts";
import { asksForCode, behindCode, type OpenedPageProps, wasUsed } from "./opened-link.tsx";

/** Gives new access to the insurer, replacing the blocked one. */
export const InsurerAccessPage = behindCode(INSURER_ACCESS_WORDS, GiveAccess);

export function GiveAccess({ session, token, parts, opened, close }: OpenedPageProps) {
  const own = usePageWords(INSURER_ACCESS_WORDS);
  const [stage, setStage] = useState<"form" | "done" | "given">("form");
  const [problem, setProblem] = useState<Problem | null>(null);
  // After a lost answer the access may have been given. Then the link is used up.
  const { give, isPending } = useGiveAccess({
    parts,
    session,
    rut: opened.patient.rut,
    by: { widget_token: token, access: opened.access },
    onGiven: () => setStage("done"),
    onRefused: refuse,
  });

  function refuse(refused: Problem): void {
    if (asksForCode(refused)) close(refused);
    else if (wasUsed(refused)) setStage("given");
    else setProblem(refused);
  }

  if (stage === "done") return <MessageScreen key="done" icon="check" words={own.done} />;
  if (stage === "given") return <MessageScreen key="given" icon="check" words={own.given} />;
  return (
    <AccessForm
      insurer={opened.patient.insurer ?? ""}
      consents={accessConsents(session.consents)}
      locale={session.locale}
      problem={problem}
      pending={isPending}
      onGive={give}
    />
  );
}
