import { useState } from "react";
import type { Problem } from "../../api/problem.ts";
import { AccessForm, accessConsents } from "../../form/access-form.tsx";
import type { Place } from "../checkout-state.ts";
import type { StepContext } from "../step-context.ts";
import type { Checkout } from "../use-checkout.ts";
import { useGiveAccess } from "../use-give-access.ts";
import { OnboardedStep, PaidStep } from "./done-step.tsx";
import { FileDownloads } from "./file-downloads.tsx";
import { OwnData } from "./own-data.tsx";

interface DoneScreenProps {
  readonly checkout: Checkout;
  readonly context: StepContext;
  readonly place: Extract<Place, { at: "done" }>;
  /** The RUT whose data is requested; empty if the visit does not know it. */
  readonly rut: string;
  readonly onClose: (() => void) | null;
}

/** The last screen of a visit; after a payment, with the missing step of the claim. */
export function DoneScreen({ checkout, context, place, rut, onClose }: DoneScreenProps) {
  const { order, session } = checkout;
  const [access, setAccess] = useState<"not_asked" | "asked" | "given" | "by_link">("not_asked");
  if (place.kind === "onboarding" || order === null)
    return (
      <>
        <OnboardedStep linked={place.linked ?? false} onClose={onClose} />
        <OwnData context={context} rut={rut} />
      </>
    );
  if (access === "asked") return <MissingAccess checkout={checkout} context={context} rut={rut} onEnd={setAccess} />;
  const canGive = session.sealing_keys.insurer_access !== null && access !== "by_link";
  return (
    <>
      <PaidStep
        order={order}
        providerName={session.provider.name}
        isOutcome={false}
        onGiveAccess={canGive ? () => setAccess("asked") : null}
        isAccessGiven={access === "given"}
        onClose={onClose}
      />
      <FileDownloads makeFile={context.api.makeFile} clientId={session.client_id} order={order} />
      <OwnData context={context} rut={rut} />
    </>
  );
}

interface MissingAccessProps extends Pick<DoneScreenProps, "checkout" | "context" | "rut"> {
  readonly onEnd: (how: "not_asked" | "given" | "by_link") => void;
}

/** Requests the isapre's password. If this page can no longer accept it, refers to the mailed link. */
function MissingAccess({ checkout, context, rut, onEnd }: MissingAccessProps) {
  const { session, order } = checkout;
  const [problem, setProblem] = useState<Problem | null>(null);
  const { give, isPending } = useGiveAccess({
    parts: context,
    session,
    rut,
    by: { widget_token: context.visit.token() },
    onGiven: () => {
      if (order !== null) context.visit.keepOrder({ ...order, missing_step: null });
      onEnd("given");
    },
    onRefused: (refused) => (hasEnded(refused) ? onEnd("by_link") : setProblem(refused)),
  });
  return (
    <AccessForm
      insurer={checkout.draft().insurer ?? ""}
      consents={accessConsents(session.consents)}
      locale={session.locale}
      problem={problem}
      pending={isPending}
      onGive={give}
      onBack={() => onEnd("not_asked")}
    />
  );
}

const ENDED: readonly string[] = [
  "widget_token_used",
  "widget_token_revoked",
  "widget_token_expired",
  "widget_token_not_found",
];

function hasEnded(problem: Problem): boolean {
  return problem.kind === "refused" && ENDED.includes(problem.code);
}
