import { QueryClientProvider } from "@tanstack/react-query";
import type { ConsentPurpose } from "bff/contract/orders";
import { lazy, Suspense } from "react";
import { isRefusedAs, type Problem } from "../api/problem.ts";
import { tidyRut } from "../form/fields.tsx";
import { AllWords } from "../words/all-words.tsx";
import { formatPesos } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { CardScreen } from "./card/card-screen.tsx";
import type { Place } from "./checkout-state.ts";
import { DoneScreen } from "./done/done-screen.tsx";
import { IdentityScreen } from "./identity/identity-screen.tsx";
import { PatientScreen } from "./patient/patient-screen.tsx";
import { ChallengeDialog } from "./paying/challenge-dialog.tsx";
import { inquire } from "./paying/inquire.ts";
import { PayingScreen } from "./paying/paying-screen.tsx";
import { usePay } from "./paying/use-pay.ts";
import { ExpiredScreen, type ExpiredScreenProps } from "./problem/expired-screen.tsx";
import { MessageScreen } from "./problem/message-screen.tsx";
import { CardCodeScreen } from "./recognition/card-code-screen.tsx";
import { CodeCalls } from "./recognition/code-calls.tsx";
import { codeProblem } from "./recognition/code-problem.ts";
import { ReviewScreen } from "./review/review-screen.tsx";
import { createStepContext, type StepContext, type StepParts } from "./step-context.ts";
import type { Checkout } from "./use-checkout.ts";
import { stepPending, useIsStepPending } from "./use-step.ts";
import type { LoadedSteps, StepScreensProps } from "./use-step-screens.ts";
import type { Visit } from "./visit.ts";

/** Loaded on demand. If that fails, the page offers to reload. */
const RecoveryScreen = lazy(async () => {
  const { RecoveryScreen } = await import("./recovery/recovery-screen.tsx");
  return { default: RecoveryScreen };
});

const CreditRefused = lazy(async () => {
  const { CreditRefused } = await import("./refused/credit-refused.tsx");
  return { default: CreditRefused };
});

/** The screens of one visit, and their dependencies. */
export function createSteps(parts: StepParts, visit: Visit): LoadedSteps {
  const context = createStepContext(parts, visit);
  return { Screens: StepScreens, CodeCalls, pending: stepPending(context.queries), codeProblem, context, inquire };
}

/** Every screen after the first. */
function StepScreens(props: StepScreensProps) {
  return (
    <QueryClientProvider client={props.context.queries}>
      <AllWords>
        <ScreenOfPlace {...props} />
      </AllWords>
    </QueryClientProvider>
  );
}

function ScreenOfPlace({ checkout, context, renewal, onClose }: StepScreensProps) {
  const { place } = checkout.state;
  const rut = tidyRut(checkout.draft().rut ?? "");
  const pending = useIsStepPending();
  // A payment outlives the screen that starts it, so its mutation belongs to all screens.
  const pay = usePay(context);
  const payWith = (given: readonly ConsentPurpose[]) => pay(checkout.actions.giveConsents(given));
  // The order is not payable, and the visit is inquiring why.
  if (place.at === "step" && checkout.order !== null && checkout.session.quote === null) {
    return <PayingScreen doing="asking" amount={null} />;
  }
  switch (place.at) {
    case "step":
      return <Step checkout={checkout} context={context} pending={pending} place={place} onPay={payWith} />;
    case "card_code":
      return <CardCodeScreen checkout={checkout} context={context} pending={pending} place={place} />;
    case "unsupported_insurer":
      return <UnsupportedInsurer checkout={checkout} />;
    case "recovery":
    case "recovery_code":
      return (
        <Suspense>
          <RecoveryScreen checkout={checkout} context={context} pending={pending} place={place} />
        </Suspense>
      );
    case "paying":
    case "challenge":
      return <Paying checkout={checkout} context={context} place={place} onEnded={() => payWith([])} />;
    case "credit_refused":
      return (
        <Suspense>
          <CreditRefused
            additions={place.problem.additions}
            providerName={checkout.session.provider.name}
            context={context}
            rut={rut}
            onClose={onClose}
          />
        </Suspense>
      );
    case "done":
      return <DoneScreen checkout={checkout} context={context} place={place} rut={rut} onClose={onClose} />;
    case "ended":
      return (
        <Ended
          problem={place.problem}
          providerName={checkout.session.provider.name}
          renewal={renewal}
          onClose={onClose}
        />
      );
  }
}

interface StepOfPlaceProps {
  readonly checkout: Checkout;
  readonly context: StepContext;
  readonly pending: boolean;
  readonly place: Extract<Place, { at: "step" }>;
  readonly onPay: (given: readonly ConsentPurpose[]) => void;
}

function Step({ place, onPay, ...step }: StepOfPlaceProps) {
  switch (place.step) {
    case "patient":
      return <PatientScreen {...step} problem={place.problem} />;
    case "identity":
      return <IdentityScreen {...step} problem={place.problem} />;
    case "card":
      return <CardScreen {...step} problem={place.problem} />;
    case "review":
      return <ReviewScreen {...step} problem={place.problem} onPay={onPay} />;
    case "summary":
      return null;
  }
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

interface PayingProps {
  readonly checkout: Checkout;
  readonly context: StepContext;
  readonly place: Extract<Place, { at: "paying" | "challenge" }>;
  readonly onEnded: () => void;
}

function Paying({ checkout, context, place, onEnded }: PayingProps) {
  const { session, visit } = checkout;
  const amount = session.quote === null ? null : formatPesos(session.quote.today);
  if (place.at === "paying") return <PayingScreen doing={place.doing} amount={amount} />;
  function leave(): void {
    visit.send({ type: "challenge_left" });
    // The patient may have confirmed in the bank's app, and the payment then continues without this page.
    void inquire(context, "left");
  }
  return (
    <>
      <PayingScreen doing="sending" amount={amount} />
      <ChallengeDialog
        page={place.challenge}
        onEnded={onEnded}
        onLeft={leave}
        onOpenedInTab={() => void inquire(context, "left")}
        wait={context.wait}
      />
    </>
  );
}

interface EndedProps extends Pick<ExpiredScreenProps, "providerName" | "renewal" | "onClose"> {
  readonly problem: Problem;
}

/** This token cannot be used any more: shows why, and offers a fresh one if the embedding page can mint it. */
function Ended({ problem, ...ways }: EndedProps) {
  const words = useAllWords();
  const explained = problemWords(problem, words);
  return isRefusedAs(problem, "widget_token_expired") ? (
    <ExpiredScreen words={explained} {...ways} />
  ) : (
    <MessageScreen words={explained} />
  );
}
