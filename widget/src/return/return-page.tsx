import type { ReadReturnRequest, ReadReturnResponse } from "bff/contract/redirects";
import type { PageReturn } from "bff/contract/widget-page";
import { useEffect, useRef, useState } from "react";
import { type Answer, isDefinite } from "../api/problem.ts";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import type { StepParts } from "../checkout/step-context.ts";
import { Frame } from "../design/frame.tsx";
import type { IconName } from "../design/icon.tsx";
import { usePartnerAccent } from "../design/partner-accent.ts";
import { ScreenArrivalProvider } from "../design/screen-title.tsx";
import { useArrival } from "../design/use-arrival.ts";
import { formatPesos } from "../words/format.ts";
import type { ProblemWords } from "../words/words.ts";
import { useWords } from "../words/words-context.tsx";
import type { ReturnWindow } from "./return-window.ts";
import { RETURN_WORDS, type ReturnWords } from "./return-words.ts";
import type { WayBack } from "./way-back.ts";

export interface ReturnParts extends Pick<StepParts, "wait"> {
  /** Reads the state of the payment or card that the patient left for. Never throws. */
  readonly read: (reference: string, body: ReadReturnRequest) => Promise<Answer<ReadReturnResponse>>;
  readonly around: ReturnWindow;
}

export interface ReturnPageProps {
  readonly returned: PageReturn;
  /** The page is in a frame, as the server assumes. */
  readonly framed: boolean;
  readonly parts: ReturnParts;
}

/** The page to which the pages of the card's issuer and the card processor return. */
export function ReturnPage({ returned, framed, parts }: ReturnPageProps) {
  const { provider } = returned;
  const frame = useRef<HTMLDivElement>(null);
  usePartnerAccent(frame, provider?.appearance.accent);
  return (
    <Frame
      ref={frame}
      providerName={provider?.name ?? null}
      logoUrl={provider?.logo_url ?? null}
      support={provider?.support ?? null}
      look={provider?.appearance ?? {}}
      standalone={!framed}
      progress={null}
    >
      <ScreenArrivalProvider value={useArrival()}>
        <Outcome returned={returned} parts={parts} />
      </ScreenArrivalProvider>
    </Frame>
  );
}

/**
 * How long this page waits for an open checkout to announce itself, before it shows the state or replaces the checkout.
 */
const CHECKOUT_WITHIN_MS = 1_500;

type Checkout = "awaited" | "continues" | "absent";

function Outcome({ returned, parts }: Pick<ReturnPageProps, "returned" | "parts">) {
  const { around } = parts;
  const [wayBack, setWayBack] = useState<WayBack | null>(null);
  const [checkout, setCheckout] = useState<Checkout>("awaited");
  const answer = useLatestAnswer(returned.reference, parts);

  useEffect(() => {
    const left = around.wayBack();
    setWayBack(left);
    let isEarly = true;
    const stop = around.notifyCheckout(() => {
      setCheckout("continues");
      // After this time the patient may be reading the page.
      if (isEarly) around.close();
    });
    function giveUp(): void {
      isEarly = false;
      setCheckout((before) => (before === "awaited" ? "absent" : before));
    }
    // A checkout that this page replaced cannot be open elsewhere.
    if (left?.isInPlace === true) giveUp();
    else void parts.wait(CHECKOUT_WITHIN_MS).then(giveUp);
    return stop;
  }, [around, parts]);

  const state = answer?.ok === true ? answer.value : null;
  const isCheckout = state?.purpose === "payment" || state?.purpose === "card";
  const resumes = checkout === "absent" && wayBack !== null && state?.can_continue === true && isCheckout;
  const address = wayBack?.address ?? null;
  useEffect(() => {
    if (resumes && address !== null) around.goTo(address);
  }, [around, resumes, address]);

  const shown = checkout === "awaited" || resumes ? "checking" : shownOf(returned.reference, answer);
  return (
    <OutcomeScreen
      shown={shown}
      returned={returned}
      continues={checkout === "continues"}
      onBack={state?.can_continue === true && address !== null ? () => around.goTo(address) : null}
      onClinic={returned.return_url === null ? null : () => around.goTo(returned.return_url ?? "")}
    />
  );
}

type Shown = ReadReturnResponse | "checking" | "unreachable" | "unknown";

function shownOf(reference: string | null, answer: Answer<ReadReturnResponse> | null): Shown {
  if (reference === null) return "unknown";
  if (answer === null) return "checking";
  if (answer.ok) return answer.value;
  return isDefinite(answer.problem) ? "unknown" : "unreachable";
}

/** The number of reads at the quick interval, before the slow one. */
const QUICK_READS = 20;
const QUICK_MS = 3_000;
const SLOW_MS = 15_000;

/** Polls while the state may change. A failed read keeps the latest answer. */
function useLatestAnswer(
  reference: string | null,
  { read, wait, around }: ReturnParts,
): Answer<ReadReturnResponse> | null {
  const [answer, setAnswer] = useState<Answer<ReadReturnResponse> | null>(null);
  useEffect(() => {
    let isOver = false;
    const token = around.wayBack()?.widgetToken;
    async function follow(known: string): Promise<void> {
      for (let reads = 0; !isOver; reads += 1) {
        const latest = await read(known, token === undefined ? {} : { widget_token: token });
        if (isOver) return;
        setAnswer((before) => (latest.ok || before === null || isDefinite(latest.problem) ? latest : before));
        if (latest.ok ? latest.value.status !== "processing" : isDefinite(latest.problem)) return;
        await wait(reads < QUICK_READS ? QUICK_MS : SLOW_MS);
      }
    }
    if (reference !== null) void follow(reference);
    return () => {
      isOver = true;
    };
  }, [reference, read, wait, around]);
  return answer;
}

interface OutcomeScreenProps {
  readonly shown: Shown;
  readonly returned: PageReturn;
  /** The page that the patient left is open, and continues. */
  readonly continues: boolean;
  /** Returns to the page left in this window; null if it cannot be opened again. */
  readonly onBack: (() => void) | null;
  readonly onClinic: (() => void) | null;
}

/** States in which the patient can continue or retry on the page they left. */
const LEADS_BACK: ReadonlySet<ReadReturnResponse["status"]> = new Set(["card_added", "to_continue", "declined"]);
const SUCCESSES: ReadonlySet<ReadReturnResponse["status"]> = new Set(["paid", "card_added", "card_changed"]);

function OutcomeScreen({ shown, returned, continues, onBack, onClinic }: OutcomeScreenProps) {
  const words = RETURN_WORDS[useWords().locale];
  const clinic = returned.provider?.name ?? "";
  const status = typeof shown === "string" ? null : shown.status;
  const isOpen = shown === "checking" || shown === "unreachable" || status === "processing";
  const leadsBack = typeof shown !== "string" && LEADS_BACK.has(shown.status) && !continues && onBack !== null;
  const back = leadsBack ? { label: words.back[shown.purpose], onPress: onBack } : null;
  const toClinic = onClinic === null || isOpen ? null : { label: words.toClinic(clinic), onPress: onClinic };
  const note = continues ? `${words.continuesElsewhere} ${words.closable}` : isOpen ? null : words.closable;
  const text = wordsOf(shown, clinic, words);
  return (
    // A new key per state makes a new screen, which a screen reader announces.
    <MessageScreen
      key={text.title}
      words={text}
      icon={iconOf(shown)}
      action={back ?? toClinic}
      secondary={back === null ? null : toClinic}
    >
      {note === null || back !== null ? null : <p>{note}</p>}
    </MessageScreen>
  );
}

function iconOf(shown: Shown): IconName {
  if (typeof shown === "string") return shown === "unknown" ? "info" : "clock";
  if (shown.status === "processing") return "clock";
  return SUCCESSES.has(shown.status) ? "check" : "info";
}

function wordsOf(shown: Shown, clinic: string, words: ReturnWords): ProblemWords {
  if (typeof shown === "string") return words[shown];
  const { purpose, status, waits_for: waitsFor, amount, first_instalment: first } = shown;
  switch (status) {
    case "paid":
      return words.paid(amount === null ? null : formatPesos(amount), clinic);
    case "refunded":
      return words.refunded;
    case "card_added":
      return words.cardAdded(clinic);
    case "card_changed":
      return words.cardChanged;
    case "to_continue":
      return words.toContinue;
    case "processing":
      return words.processing[purpose][waitsFor ?? "bank"];
    case "declined":
      return words.declined[purpose](clinic);
    case "refused":
      return words.refused[first ?? "not_charged"](clinic);
    case "closed":
      return words.closed(clinic);
  }
}
