import { formatRut, readRut } from "bff/contract/vocabulary/rut";
import { isCardRefused, type Problem } from "../api/problem.ts";
import type { Place } from "../checkout/checkout-state.ts";
import type { SessionClock } from "../checkout/session-clock.ts";
import type { Checkout } from "../checkout/use-checkout.ts";
import type { Renewal } from "../checkout/use-renewal.ts";
import { AllWords } from "../words/all-words.tsx";
import { formatPesos, partsOfMoment } from "../words/format.ts";
import { isCodeRefused, problemWithAttempts, problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { CardStep } from "./card/card-step.tsx";
import { DataRequest } from "./done/data-request.tsx";
import { OnboardedStep, PaidStep } from "./done/done-step.tsx";
import { IdentityStep } from "./identity/identity-step.tsx";
import { PatientStep } from "./patient/patient-step.tsx";
import { ChallengeDialog } from "./paying/challenge-dialog.tsx";
import { PayingScreen } from "./paying/paying-screen.tsx";
import { ExpiredScreen } from "./problem/expired-screen.tsx";
import { MessageScreen } from "./problem/message-screen.tsx";
import { RecoveryCode, RecoveryIdentity, RecoveryWays } from "./recovery/recovery-steps.tsx";
import { RefusedScreen } from "./refused/refused-screen.tsx";
import { ReviewStep } from "./review/review-step.tsx";

export interface StepScreensProps {
  readonly checkout: Checkout;
  readonly clock: SessionClock;
  /** Null where there is no page around that could make a fresh token. */
  readonly renewal: Renewal | null;
  /** Null where there is no page around to go back to. */
  readonly onClose: (() => void) | null;
}

/**
 * Every screen after the first. One module, so that forms, schemas and their styles come in one piece while the patient
 * reads the first screen.
 */
export function StepScreens(props: StepScreensProps) {
  return (
    <AllWords>
      <StepScreen {...props} />
    </AllWords>
  );
}

function StepScreen({ checkout, clock, renewal, onClose }: StepScreensProps) {
  const { place } = checkout.state;
  // An order that is not payable: the visit is asking why.
  if (place.at === "step" && checkout.order !== null && checkout.session.quote === null) {
    return <PayingScreen doing="asking" amount={null} />;
  }
  switch (place.at) {
    case "step":
      return <Step checkout={checkout} clock={clock} place={place} />;
    case "unsupported_insurer":
      return <UnsupportedInsurer checkout={checkout} />;
    case "recovery":
    case "recovery_code":
      return <Recovery checkout={checkout} clock={clock} place={place} />;
    case "paying":
    case "challenge":
      return <Paying checkout={checkout} place={place} />;
    case "credit_refused":
      return (
        <>
          <RefusedScreen
            reasons={place.problem.additions.reasons ?? []}
            providerName={checkout.session.provider.name}
            onClose={onClose}
          />
          <OwnData {...checkout.actions} />
        </>
      );
    case "done":
      return (
        <>
          <Done checkout={checkout} place={place} onClose={onClose} />
          <OwnData {...checkout.actions} />
        </>
      );
    case "ended":
      return <Ended problem={place.problem} renewal={renewal} />;
  }
}

function Step(props: {
  readonly checkout: Checkout;
  readonly clock: SessionClock;
  readonly place: Extract<Place, { at: "step" }>;
}) {
  switch (props.place.step) {
    case "patient":
      return <Patient checkout={props.checkout} problem={props.place.problem} />;
    case "identity":
      return <Identity checkout={props.checkout} problem={props.place.problem} />;
    case "card":
      return <Card checkout={props.checkout} clock={props.clock} problem={props.place.problem} />;
    case "review":
      return <Review checkout={props.checkout} problem={props.place.problem} />;
    case "summary":
      return null;
  }
}

interface StepProps {
  readonly checkout: Checkout;
  readonly problem: Problem | null;
}

const NO_FIELDS: readonly string[] = [];

function refusedFieldsOf(problem: Problem | null): readonly string[] {
  if (problem?.kind !== "refused" || problem.code !== "validation_error") return NO_FIELDS;
  return problem.additions.errors?.map((issue) => issue.path) ?? NO_FIELDS;
}

function backOf({ state, actions }: Checkout): (() => void) | undefined {
  return state.steps[0] === (state.place.at === "step" ? state.place.step : null) ? undefined : actions.back;
}

function Patient({ checkout, problem }: StepProps) {
  const words = useAllWords();
  const { session, state, actions } = checkout;
  return (
    <PatientStep
      key={state.consentRound}
      providerName={session.provider.name}
      draft={checkout.draft()}
      rutIsFixed={session.order !== null}
      consents={session.consents.filter((consent) => consent.step === "onboarding")}
      consentLocale={session.locale}
      given={state.given}
      pending={checkout.pending}
      problem={problem === null ? null : problemWords(problem, words)}
      refusedFields={refusedFieldsOf(problem)}
      onConsent={actions.changeConsent}
      onDraft={actions.keepDraft}
      onSubmit={actions.register}
      onBack={backOf(checkout)}
    />
  );
}

/** Refusals that are about what was typed in the field, so that the field says so too. */
const SERIAL_CODES: readonly string[] = [
  "document_serial_malformed",
  "identity_rejected",
  "identity_document_not_valid",
];

function isSerialRefused(problem: Problem | null): boolean {
  return problem?.kind === "refused" && SERIAL_CODES.includes(problem.code);
}

function Identity({ checkout, problem }: StepProps) {
  const words = useAllWords();
  return (
    <IdentityStep
      rut={shownRut(checkout)}
      pending={checkout.pending}
      problem={problemWithAttempts(problem, words)}
      serialIsRefused={isSerialRefused(problem)}
      onSubmit={checkout.actions.validateIdentity}
      onBack={backOf(checkout)}
    />
  );
}

function Card({ checkout, clock, problem }: StepProps & { readonly clock: SessionClock }) {
  const words = useAllWords();
  const { day } = partsOfMoment(new Date(clock.now()).toISOString());
  return (
    <CardStep
      // A fresh token brings a fresh sealing key: what was typed for the old one is let go.
      key={checkout.session.sealing_keys.card.kid}
      current={checkout.order?.payment_method ?? null}
      today={{ year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) }}
      pending={checkout.pending}
      problem={problem === null ? null : problemWords(problem, words)}
      isRefused={isCardRefused(problem)}
      onSubmit={checkout.actions.addCard}
      onKeep={checkout.actions.keepCard}
      onBack={backOf(checkout)}
    />
  );
}

function Review({ checkout, problem }: StepProps) {
  const words = useAllWords();
  const { session, order, state, actions } = checkout;
  if (session.quote === null || order === null) return null;
  return (
    <ReviewStep
      key={state.consentRound}
      providerName={session.provider.name}
      patientName={`${order.customer.first_name} ${order.customer.last_name}`}
      rut={shownRut(checkout)}
      quote={session.quote}
      card={order.payment_method}
      consents={session.consents.filter((consent) => consent.step === "payment")}
      consentLocale={session.locale}
      given={state.given}
      pending={checkout.pending}
      problem={problem === null ? null : problemWords(problem, words)}
      notice={state.challengeLeft ? words.paying.challengeLeft : null}
      onConsent={actions.changeConsent}
      onPay={actions.pay}
      onChangeCard={() => actions.open("card")}
      onBack={backOf(checkout)}
    />
  );
}

function shownRut({ order }: Checkout): string {
  const rut = readRut(order?.customer.rut ?? "");
  return rut === null ? (order?.customer.rut ?? "") : formatRut(rut);
}

function UnsupportedInsurer({ checkout }: { readonly checkout: Checkout }) {
  const words = useAllWords();
  return (
    <MessageScreen
      words={{
        title: words.patient.unsupportedTitle,
        text: words.patient.unsupportedText(checkout.session.provider.name),
      }}
      secondary={{ label: words.patient.unsupportedAction, onPress: checkout.actions.back }}
    />
  );
}

interface RecoveryProps {
  readonly checkout: Checkout;
  readonly clock: SessionClock;
  readonly place: Extract<Place, { at: "recovery" | "recovery_code" }>;
}

function Recovery({ checkout, clock, place }: RecoveryProps) {
  const words = useAllWords();
  const { actions, pending, session } = checkout;
  const { collision } = place;
  const problem = problemWithAttempts(place.problem, words);
  if (place.at === "recovery_code") {
    return (
      <RecoveryCode
        sent={place.sent}
        pending={pending}
        problem={problem}
        codeIsRefused={isCodeRefused(place.problem)}
        resendAfterMs={place.sent.resendAt - clock.now()}
        onSubmit={(code) => actions.verifyCode(collision, code)}
        onResend={() =>
          place.sent.way === "email_code" ? actions.sendEmailCode(collision) : actions.chooseRecovery("identity")
        }
        onOtherWay={() => actions.chooseRecovery("way")}
      />
    );
  }
  if (place.asking === "identity") {
    return (
      <RecoveryIdentity
        pending={pending}
        problem={problem}
        serialIsRefused={isSerialRefused(place.problem)}
        email={checkout.draft().email ?? ""}
        onSubmit={(serial, email) => actions.sendIdentityCode(collision, { serial, email })}
        onBack={() => actions.chooseRecovery("way")}
      />
    );
  }
  return (
    <RecoveryWays
      collision={collision}
      providerName={session.provider.name}
      rutIsFixed={session.order !== null}
      pending={pending}
      problem={problem}
      onEmailCode={() => actions.sendEmailCode(collision)}
      onIdentity={() => actions.chooseRecovery("identity")}
      onMistyped={actions.back}
    />
  );
}

function Paying({
  checkout,
  place,
}: {
  readonly checkout: Checkout;
  readonly place: Extract<Place, { at: "paying" | "challenge" }>;
}) {
  const { session, actions } = checkout;
  const amount = session.quote === null ? null : formatPesos(session.quote.today);
  if (place.at === "paying") return <PayingScreen doing={place.doing} amount={amount} />;
  return (
    <>
      <PayingScreen doing="sending" amount={amount} />
      <ChallengeDialog url={place.challenge.url} onEnded={actions.endChallenge} onLeft={actions.leaveChallenge} />
    </>
  );
}

interface DoneProps {
  readonly checkout: Checkout;
  readonly place: Extract<Place, { at: "done" }>;
  readonly onClose: (() => void) | null;
}

function Done({ checkout, place, onClose }: DoneProps) {
  const { order, session } = checkout;
  if (place.kind === "onboarding" || order === null) {
    return <OnboardedStep linked={place.linked ?? false} onClose={onClose} />;
  }
  return (
    <PaidStep
      order={order}
      providerName={session.provider.name}
      isOutcome={false}
      onClose={onClose}
      onPrint={() => window.print()}
    />
  );
}

/** At the end of a visit, whatever it is: what is kept of the patient from then on is theirs to see. */
function OwnData({ askForData }: Pick<Checkout["actions"], "askForData">) {
  return askForData === null ? null : <DataRequest onAsk={askForData} />;
}

/** Nothing more can be done with this token: why, and the way on where the page around can make a fresh one. */
function Ended({ problem, renewal }: { readonly problem: Problem; readonly renewal: Renewal | null }) {
  const words = useAllWords();
  const said = problemWords(problem, words);
  const isExpired = problem.kind === "refused" && problem.code === "widget_token_expired";
  return isExpired ? <ExpiredScreen words={said} renewal={renewal} /> : <MessageScreen words={said} />;
}
