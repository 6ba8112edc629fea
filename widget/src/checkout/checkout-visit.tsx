import type { Locale, WidgetSession } from "bff/contract/widget-tokens";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import type { CheckoutApi } from "../api/checkout-api.ts";
import { codeOf, isForIntegrator, isRefusedAs } from "../api/problem.ts";
import { Button } from "../design/button.tsx";
import { Frame, type FrameLook, Skeleton } from "../design/frame.tsx";
import { Notice } from "../design/notice.tsx";
import { usePartnerAccent } from "../design/partner-accent.ts";
import { ScreenArrivalProvider } from "../design/screen-title.tsx";
import { useArrival } from "../design/use-arrival.ts";
import { LocaleSwitchProvider, useWords } from "../words/words-context.tsx";
import { knownPart } from "./checkout-state.ts";
import { useLeaving } from "./leaving.tsx";
import { MessageScreen } from "./problem/message-screen.tsx";
import { KnownCode } from "./recognition/known-code.tsx";
import { KnownTop } from "./recognition/known-top.tsx";
import type { StepHistory } from "./step-history.ts";
import { SummaryStep } from "./summary/summary-step.tsx";
import { type Checkout, type CheckoutParts, useCheckout } from "./use-checkout.ts";
import { useExpiry } from "./use-expiry.ts";
import { type ConnectHost, type Host, useHost, useReportedHeight } from "./use-host.ts";
import { type Renewal, useRenewal } from "./use-renewal.ts";
import { useStepHistory } from "./use-step-history.ts";
import { type LoadSteps, type StepScreensLoading, useStepScreens } from "./use-step-screens.ts";

/** The external dependencies of a visit. The gallery and tests pass their own. */
export interface VisitParts extends CheckoutParts {
  readonly connect: ConnectHost;
  readonly loadSteps: LoadSteps;
  /** For the outcome of a used link, which has no session. */
  readonly makeFile: CheckoutApi["makeFile"];
  /**
   * Reopens the page at the same step once the server is known to be reachable; rejects if it is not.
   */
  readonly reopen: () => Promise<never>;
  readonly loadWarningMs: () => Promise<number>;
  readonly history: StepHistory;
  /** Has the service keep the language that the patient chose. Never rejects. */
  readonly keepLocale: (locale: Locale) => Promise<unknown>;
  /** The page's address takes a fresh token, so that a reload uses it. */
  readonly keepToken: (token: string) => void;
}

export interface CheckoutVisitProps {
  readonly parts: VisitParts;
  readonly token: string;
  readonly session: WidgetSession;
  /** Whether the server believes the page is framed. */
  readonly framed: boolean;
  readonly onLocale: (locale: Locale) => void;
}

/** One visit: its screens, and the frame around them. */
export function CheckoutVisit({ parts, token, session: initial, framed, onLocale }: CheckoutVisitProps) {
  const checkout = useCheckout(parts, token, initial);
  const loading = useStepScreens(parts.loadSteps, checkout.visit, parts.reopen);
  const [look, setLook] = useState<FrameLook>({});
  const frame = useRef<HTMLDivElement>(null);
  const { state, session } = checkout;
  const isOver = state.place.at === "done" || state.place.at === "ended" || state.place.at === "credit_refused";

  const host = useHost(parts.connect, session, framed, (message) => {
    if (message.type === "hello") {
      setLook(message.payload.appearance ?? {});
      if (message.payload.locale && !session.locale_chosen) onLocale(message.payload.locale);
    } else if (message.type === "appearance") setLook((before) => ({ ...before, ...message.payload }));
    else if (message.type === "locale") onLocale(message.payload.locale);
    else if (message.type === "token") void renewal.take(message);
    else if (message.type === "host_closing") leaving.ask();
  });
  // A fresh token for the same visit keeps the form's input.
  const renewal = useRenewal(host, {
    isExpired: state.place.at === "ended" && isRefusedAs(state.place.problem, "widget_token_expired"),
    takeToken: async (fresh) => {
      const isTaken = await checkout.visit.swapToken(fresh);
      if (isTaken) parts.keepToken(fresh);
      return isTaken;
    },
  });
  const minutesLeft = useExpiry({
    expiresAt: session.expires_at,
    clock: parts.clock,
    loadWarningMs: parts.loadWarningMs,
    onExpiring: () => {
      // Nothing is left to do that would need another token.
      if (isOver) return;
      host.say({ type: "token_expiring", payload: {} });
      renewal.ask();
    },
    onExpired: checkout.actions.expire,
  });

  const shownLook = { ...session.provider.appearance, ...look };
  usePartnerAccent(frame, look.accent, session.provider.appearance.accent);
  useReportedHeight(frame, host.say);
  useStatements(checkout, host, useStepHistory(checkout, parts.history));
  useInquiry(checkout, loading);
  const leaving = useLeaving(state.place.at === "step", () => host.say({ type: "close_requested", payload: {} }));
  const arrive = useArrival();

  /** The consents to be given, too, come in the chosen language. */
  function chooseLocale(locale: Locale): void {
    onLocale(locale);
    void parts.keepLocale(locale).then(checkout.visit.refreshSession);
  }

  return (
    <LocaleSwitchProvider value={chooseLocale}>
      <Frame
        ref={frame}
        providerName={session.provider.name}
        logoUrl={session.provider.logo_url}
        support={session.provider.support}
        look={shownLook}
        standalone={!host.framed}
        progress={progressOf(checkout)}
        onInput={leaving.noteTyping}
      >
        <ScreenArrivalProvider value={arrive}>
          {leaving.question}
          {minutesLeft === null || isOver ? null : (
            <ExpiryWarning minutes={minutesLeft} renewal={renewal} canRenew={host.isHeard} />
          )}
          <Screen checkout={checkout} loading={loading} host={host} renewal={renewal} />
        </ScreenArrivalProvider>
      </Frame>
    </LocaleSwitchProvider>
  );
}

interface ScreenProps {
  readonly checkout: Checkout;
  readonly loading: StepScreensLoading;
  readonly host: Host;
  readonly renewal: Renewal;
}

function Screen({ checkout, loading, host, renewal }: ScreenProps) {
  const { state, session, actions, facts } = checkout;
  const { place } = state;
  const known = session.quote === null ? null : knownPart(state, facts);
  if (
    known === null &&
    place.at === "step" &&
    place.step === "summary" &&
    session.quote !== null &&
    session.purpose === "checkout"
  ) {
    return <SummaryStep quote={session.quote} items={session.order?.items ?? []} onContinue={actions.continue} />;
  }
  // Each part keeps its position in the tree, so that the elements above the code survive it.
  return (
    <>
      {known === null || session.quote === null ? null : <KnownTop quote={session.quote} />}
      {known === "code" && place.at === "step" ? (
        <KnownCode checkout={checkout} loading={loading} problem={place.problem} />
      ) : (
        <LoadedScreen checkout={checkout} loading={loading} host={host} renewal={renewal} />
      )}
    </>
  );
}

/** Every screen whose code is loaded after the first. */
function LoadedScreen({ checkout, loading, host, renewal }: ScreenProps) {
  const words = useWords();
  if (loading.is === "loading") return <Skeleton />;
  if (loading.is === "failed") {
    return <MessageScreen words={words.unloaded} action={{ label: words.page.retry, onPress: loading.retry }} />;
  }
  const { steps } = loading;
  return (
    <steps.Screens
      checkout={checkout}
      context={steps.context}
      renewal={host.isHeard ? renewal : null}
      onClose={host.goBack}
    />
  );
}

interface ExpiryWarningProps {
  readonly minutes: number;
  readonly renewal: Renewal;
  readonly canRenew: boolean;
}

function ExpiryWarning({ minutes, renewal, canRenew }: ExpiryWarningProps) {
  const { expiry } = useWords();
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () => () => {
      // After a renewal the pressed button is gone, so a keyboard user starts at the top of the screen.
      if (button.current !== null && button.current === document.activeElement) document.querySelector("h1")?.focus();
    },
    [],
  );
  return (
    <Notice tone="warning" role="status" title={expiry.warning(minutes)}>
      {!canRenew ? (
        <p>{expiry.finish}</p>
      ) : renewal.state === "failed" ? (
        <p>
          {expiry.failed} {expiry.finish}
        </p>
      ) : null}
      {canRenew ? (
        <Button ref={button} kind="quiet" onPress={renewal.ask} pending={renewal.state === "asking"}>
          {expiry.renew}
        </Button>
      ) : null}
    </Notice>
  );
}

function progressOf({ state, facts }: Checkout) {
  const { place, steps } = state;
  // The number of screens depends on the code.
  if (knownPart(state, facts) !== null) return null;
  const isInside =
    place.at === "step" ||
    place.at === "recovery" ||
    place.at === "recovery_code" ||
    place.at === "unsupported_insurer";
  if (!isInside || steps.length < 2) return null;
  const step = place.at === "step" ? place.step : "patient";
  const index = steps.indexOf(step);
  // A known patient whose conflict appears only at the payment has no step for the recovery.
  return index === -1 ? null : { index: index + 1, count: steps.length };
}

/** Reports progress to the embedding page, without personal data. */
function useStatements({ state, session, order }: Checkout, { say }: Host, isOutcomeReportable: boolean): void {
  const { place, steps } = state;
  const step = place.at === "step" ? place.step : null;
  const index = step === null ? 0 : steps.indexOf(step) + 1;
  const problem = "problem" in place ? place.problem : null;
  const done = place.at === "done" && isOutcomeReportable ? place.kind : null;
  const isChallenged = place.at === "challenge";

  useEffect(() => say({ type: "ready", payload: {} }), [say]);
  useEffect(() => {
    if (step !== null) say({ type: "step", payload: { name: step, index, count: steps.length } });
  }, [say, step, index, steps.length]);
  useEffect(() => {
    if (problem === null) return;
    const audience = isForIntegrator(problem) ? "integrator" : "patient";
    // A fresh token reopens the checkout where it was.
    const isExpired = isRefusedAs(problem, "widget_token_expired");
    const recoverable = isExpired || (place.at !== "ended" && place.at !== "credit_refused");
    say({ type: "error", payload: { code: codeOf(problem), audience, recoverable, trace_id: problem.traceId } });
  }, [say, problem, place.at]);
  useEffect(() => {
    if (!isChallenged) return;
    say({ type: "open_dialog", payload: {} });
    return () => say({ type: "close_dialog", payload: {} });
  }, [say, isChallenged]);

  const orderToken = session.order_token;
  const status = done === "payment" ? (order?.status ?? "paid") : "registered";
  // Every read of the order returns another signed receipt, but the embedding page gets only one.
  const signedReceipt = useRef<string | null>(null);
  useEffect(() => {
    signedReceipt.current = order?.signed_receipt ?? null;
  }, [order]);
  useEffect(() => {
    if (done === null) return;
    const signed_receipt = done === "payment" ? signedReceipt.current : null;
    say({ type: "completed", payload: { kind: done, order_token: orderToken, status, signed_receipt } });
  }, [say, done, orderToken, status]);
}

/**
 * Inquires about the payment in a visit that opens with only the payment left, or with an order that is not payable.
 */
function useInquiry({ state, session, facts, isSeen, visit }: Checkout, loading: StepScreensLoading): void {
  const isAsked = useRef(false);
  const step = state.place.at === "step" ? state.place.step : null;
  const isAtReview = step === "review" || (step === "card" && facts.cardAdded);
  const isUnclear = step !== null && session.order !== null && session.quote === null;
  const steps = loading.is === "ready" ? loading.steps : null;
  useEffect(() => {
    if (steps === null || !isSeen || isAsked.current) return;
    isAsked.current = true;
    if (isAtReview || isUnclear) void steps.inquire(steps.context, "opened");
  }, [steps, isSeen, isAtReview, isUnclear]);

  // A page restored from the browser's cache is as old as when the patient left it.
  const restore = useEffectEvent(async ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    await visit.fetchOrder();
    visit.send({ type: "facts_changed" });
    if (steps !== null && isAtReview) void steps.inquire(steps.context, "opened");
  });
  useEffect(() => {
    const listen = (event: PageTransitionEvent) => void restore(event);
    window.addEventListener("pageshow", listen);
    return () => window.removeEventListener("pageshow", listen);
  }, []);
}
