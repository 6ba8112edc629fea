import { useMutation, useQuery } from "@tanstack/react-query";
import { INSURERS } from "bff/contract/onboarding";
import type { ConsentPurpose } from "bff/contract/orders";
import type {
  EraseDataResponse,
  MakeRightsRequest,
  MakeRightsRequestResponse,
  PatientData,
  WithdrawConsentResponse,
} from "bff/contract/patient-rights";
import { formatRut, readRut } from "bff/contract/vocabulary/rut";
import { useEffect, useEffectEvent, useState } from "react";
import { type Problem, problemOf, valueOrThrow } from "../api/problem.ts";
import { saveFile, saveOrderFile } from "../browser/save-file.ts";
import { ArrivingNotice } from "../checkout/problem/arriving-notice.tsx";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { type AmountRow, Amounts } from "../design/amounts.tsx";
import { Button } from "../design/button.tsx";
import { Skeleton } from "../design/frame.tsx";
import { Notice } from "../design/notice.tsx";
import { ScreenTitle } from "../design/screen-title.tsx";
import { formatPesos, keepDates } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { usePageWords } from "./link-page.ts";
import styles from "./my-data.module.css";
import { MY_DATA_WORDS } from "./my-data-words.ts";
import { asksForCode, behindCode, type OpenedPageProps, useDayOf } from "./opened-link.tsx";
import { nameOfCard, type OwnCard, OwnCards } from "./own-cards.tsx";
import { OWN_CARDS_WORDS } from "./own-cards-words.ts";
import { RightsRequestForm, RightsRequests } from "./rights-request.tsx";
import { RIGHTS_REQUEST_WORDS } from "./rights-request-words.ts";

/** A patient's rights over their data: see, export, withdraw, erase, and request anything else from a person. */
export const MyDataPage = behindCode(MY_DATA_WORDS, MyData);

/** The outcome of the last action. */
type Done = WithdrawConsentResponse | "card_removed" | null;

type Stage =
  | { readonly at: "view"; readonly done: Done }
  | { readonly at: "remove_card"; readonly card: OwnCard }
  | { readonly at: "withdraw"; readonly purpose: ConsentPurpose }
  | { readonly at: "erase" }
  | { readonly at: "ask" }
  | { readonly at: "asked"; readonly answer: MakeRightsRequestResponse }
  | { readonly at: "erased"; readonly answer: EraseDataResponse }
  | { readonly at: "erased_before" };

const VIEW: Stage = { at: "view", done: null };

function MyData({ session, token, parts, opened: { access }, close }: OpenedPageProps) {
  const words = useAllWords();
  const { public_key: publicKey } = session;
  const opened = { widget_token: token, access };
  const [stage, setStage] = useState<Stage>(VIEW);
  const [problem, setProblem] = useState<Problem | null>(null);
  const data = useQuery({
    queryKey: ["patient-data", token, access],
    queryFn: async () => valueOrThrow(await parts.api.readData(publicKey, opened)),
    // The screen shows the failure and offers to retry, so hidden retries would only make the patient wait.
    retry: false,
    // Personal data is dropped with the page.
    gcTime: 0,
  });
  const withdrawing = useMutation({
    mutationFn: async (purpose: ConsentPurpose) =>
      valueOrThrow(await parts.api.withdrawConsent(publicKey, { ...opened, purpose })),
    // The screen shows the failure; the patient decides whether to try again.
    retry: false,
    onSuccess: (done) => {
      enter({ at: "view", done });
      void data.refetch();
    },
    onError: (failure) => refuse(problemOf(failure)),
  });
  const removing = useMutation({
    mutationFn: async ({ id }: OwnCard) =>
      valueOrThrow(await parts.api.removeCard(publicKey, { ...opened, saved_card: id })),
    // The screen shows the failure, and the patient presses again: removing a card twice is harmless.
    retry: false,
    onSuccess: () => {
      enter({ at: "view", done: "card_removed" });
      void data.refetch();
    },
    onError: (failure) => refuse(problemOf(failure)),
  });
  const erasing = useMutation({
    mutationFn: async () => valueOrThrow(await parts.api.eraseData(publicKey, opened)),
    // After a lost answer everything may have been erased, which the patient's next press reveals.
    retry: false,
    onSuccess: (answer) => enter({ at: "erased", answer }),
    onError: (failure) => {
      const refused = problemOf(failure);
      const status = erasureIn(refused);
      if (status === "erased") enter({ at: "erased_before" });
      else if (status === "waiting") enter({ at: "erased", answer: { status, kept: [] } });
      else refuse(refused);
    },
  });
  const asking = useMutation({
    mutationFn: async (request: MakeRightsRequest["request"]) =>
      valueOrThrow(await parts.api.makeRequest(publicKey, { ...opened, request })),
    // The screen shows the failure, and the patient presses again: the service deduplicates requests.
    retry: false,
    onSuccess: (answer) => {
      enter({ at: "asked", answer });
      void data.refetch();
    },
    onError: (failure) => refuse(problemOf(failure)),
  });
  const printing = useMutation({
    mutationFn: async (order_token: string) =>
      saveOrderFile(valueOrThrow(await parts.api.printAgreement(publicKey, { ...opened, order_token }))),
    // The screen shows the failure, and the patient presses again.
    retry: false,
    onError: (failure) => refuse(problemOf(failure)),
  });
  const unread = useLastError(data.error);
  const leave = useEffectEvent(close);
  useEffect(() => {
    if (data.error !== null && asksForCode(problemOf(data.error))) leave(problemOf(data.error));
  }, [data.error]);

  function enter(next: Stage): void {
    setProblem(null);
    setStage(next);
  }

  /** Returns to the code if the refusal requires another one. */
  function refuse(refused: Problem): void {
    if (asksForCode(refused)) close(refused);
    else setProblem(refused);
  }

  if (data.data === undefined) {
    if (unread === null) return <Skeleton />;
    const again = { label: words.page.retry, onPress: () => void data.refetch(), pending: data.isFetching };
    return <MessageScreen words={problemWords(problemOf(unread), words)} action={again} />;
  }
  const { owed } = data.data;
  const pending = withdrawing.isPending || removing.isPending || erasing.isPending;
  const explained = problem === null ? null : problemWords(problem, words);
  const act = { owed, problem: explained, pending, onKeep: () => enter(VIEW) };
  switch (stage.at) {
    case "view":
      return (
        <Overview
          data={data.data}
          done={stage.done}
          problem={data.error === null ? null : problemWords(problemOf(data.error), words)}
          unprinted={explained}
          printing={printing.isPending ? printing.variables : null}
          onPrint={printing.mutate}
          pending={data.isFetching}
          onRetry={() => void data.refetch()}
          onWithdraw={(purpose) => enter({ at: "withdraw", purpose })}
          onRemoveCard={(card) => enter({ at: "remove_card", card })}
          onErase={() => enter({ at: "erase" })}
          onAsk={() => enter({ at: "ask" })}
        />
      );
    case "withdraw":
      return <Withdraw {...act} key={stage.purpose} purpose={stage.purpose} onDo={withdrawing.mutate} />;
    case "remove_card":
      return <RemoveCard {...act} key={stage.card.id} card={stage.card} onDo={removing.mutate} />;
    case "erase":
      return <Erase {...act} onDo={erasing.mutate} />;
    case "ask":
      return (
        <RightsRequestForm
          orders={data.data.orders}
          problem={explained}
          pending={asking.isPending}
          onAsk={asking.mutate}
          onBack={() => enter(VIEW)}
        />
      );
    case "asked":
      return <Asked answer={stage.answer} onBack={() => enter(VIEW)} />;
    case "erased":
      return <Erased answer={stage.answer} />;
    case "erased_before":
      return <ErasedBefore />;
  }
}

/** The last error of the first load, which stays on the screen during a retry. */
function useLastError(error: Error | null): Error | null {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  return last;
}

/**
 * The state of an erasure that is requested again after a lost answer. An unknown link means that it was erased too.
 */
function erasureIn(problem: Problem): EraseDataResponse["status"] | undefined {
  if (problem.kind !== "refused") return undefined;
  return problem.code === "widget_token_not_found" ? "erased" : problem.additions.erasure_status;
}

interface OverviewProps {
  readonly data: PatientData;
  readonly done: Done;
  /** Why the list could not be reloaded. It may then be outdated. */
  readonly problem: ActProps["problem"];
  /** Why a contract could not be downloaded. */
  readonly unprinted: ActProps["problem"];
  /** The order whose contract is being downloaded. */
  readonly printing: string | null;
  readonly onPrint: (orderToken: string) => void;
  readonly pending: boolean;
  readonly onRetry: () => void;
  readonly onWithdraw: (purpose: ConsentPurpose) => void;
  readonly onRemoveCard: (card: OwnCard) => void;
  readonly onErase: () => void;
  readonly onAsk: () => void;
}

function Overview({ data, done, problem, pending, onRetry, onErase, onAsk, ...rest }: OverviewProps) {
  const { onWithdraw, onRemoveCard, ...contracts } = rest;
  const words = useAllWords();
  const own = usePageWords(MY_DATA_WORDS);
  const asking = usePageWords(RIGHTS_REQUEST_WORDS);
  const dayOf = useDayOf();
  const { erasure } = data;
  return (
    <div className={styles.screen}>
      <ScreenTitle title={own.view.title} intro={own.view.text} />
      <DoneNotice done={done} />
      <ArrivingNotice words={problem}>
        <Button kind="quiet" onPress={onRetry} pending={pending}>
          {words.page.retry}
        </Button>
      </ArrivingNotice>
      <Amounts rows={rowsOf(data, own)} />
      <div className={styles.section}>
        <Button onPress={() => download(data, own.fileName)}>{own.download}</Button>
        <Contracts data={data} {...contracts} />
      </div>
      <OwnCards cards={data.saved_cards ?? []} onRemove={onRemoveCard} />
      <section className={styles.section}>
        <h2 className={styles.heading}>{own.consentsTitle}</h2>
        <Consents data={data} isWithdrawn={(purpose) => isWithdrawn(done, purpose)} onWithdraw={onWithdraw} />
      </section>
      <section className={styles.section}>
        <h2 className={styles.heading}>{asking.heading}</h2>
        <p>{asking.text}</p>
        <RightsRequests requests={data.requests ?? []} />
        <Button onPress={onAsk}>{asking.open}</Button>
      </section>
      <section className={styles.section}>
        <h2 className={styles.heading}>{own.eraseTitle}</h2>
        <p>{erasure === null ? own.eraseText : own.eraseAsked(dayOf(erasure.requested_at))}</p>
        {erasure === null ? <Button onPress={onErase}>{own.eraseOpen}</Button> : null}
      </section>
    </div>
  );
}

function DoneNotice({ done }: Pick<OverviewProps, "done">) {
  const own = usePageWords(MY_DATA_WORDS);
  const { removed } = usePageWords(OWN_CARDS_WORDS);
  if (done === null) return null;
  const notice =
    done === "card_removed"
      ? { title: removed.title, lines: [removed.text] }
      : { title: own.withdrawn, lines: done.effects.map((effect) => own.effects[effect]) };
  return (
    <Notice tone="success" role="status" title={notice.title}>
      {notice.lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </Notice>
  );
}

function isWithdrawn(done: Done, purpose: ConsentPurpose): boolean {
  return done !== null && done !== "card_removed" && done.withdrawn === purpose;
}

/** The contract of each payment, as it was shown. */
function Contracts({
  data,
  unprinted,
  printing,
  onPrint,
}: Pick<OverviewProps, "data" | "unprinted" | "printing" | "onPrint">) {
  const own = usePageWords(MY_DATA_WORDS);
  return (
    <>
      <ArrivingNotice words={unprinted} />
      {data.orders
        .filter(({ agreement }) => agreement)
        .map(({ order_token, provider, reference }) => (
          <Button key={order_token} onPress={() => onPrint(order_token)} pending={printing === order_token}>
            {own.contractOf(provider, reference)}
          </Button>
        ))}
    </>
  );
}

function rowsOf(data: PatientData, own: (typeof MY_DATA_WORDS)["en"]): readonly AmountRow[] {
  const { patient } = data;
  const rut = readRut(patient.rut);
  const documents = data.expenses.reduce((count, { files }) => count + files.length, 0);
  return [
    { label: own.name, text: `${patient.first_name} ${patient.last_name}` },
    { label: "RUT", rut: rut === null ? patient.rut : formatRut(rut) },
    { label: own.email, text: patient.email },
    { label: own.phone, text: patient.phone_number },
    { label: own.insurer, text: insurerName(patient.insurer) },
    { label: own.access, text: data.insurer_access.kept ? own.accessKept : own.accessNone },
    { label: own.orders, text: String(data.orders.length) },
    { label: own.documents, text: String(documents) },
    { label: own.owed, pesos: data.owed, weight: "total" },
  ];
}

function insurerName(insurer: PatientData["patient"]["insurer"]): string {
  return insurer === "fonasa" || insurer === "none" ? insurer : INSURERS[insurer];
}

/** The latest acceptance of each purpose, which includes the earlier ones. */
function Consents({
  data,
  isWithdrawn,
  onWithdraw,
}: Pick<OverviewProps, "data" | "onWithdraw"> & { readonly isWithdrawn: (purpose: ConsentPurpose) => boolean }) {
  const own = usePageWords(MY_DATA_WORDS);
  const dayOf = useDayOf();
  const newest = [...new Map(data.consents.map((consent) => [consent.purpose, consent])).values()];
  if (newest.length === 0) return <p>{own.noConsents}</p>;
  return (
    <ul className={styles.consents}>
      {newest.map(({ purpose, text, accepted_at, withdrawn_at }) => {
        const whyNot = withdrawn_at === null && purpose === "terms_and_credit" ? own.contract : null;
        return (
          <li key={purpose} className={styles.consent}>
            <strong>{own.purposes[purpose]}</strong>
            <p className={styles.words}>{keepDates(text)}</p>
            <p>{withdrawn_at === null ? own.givenOn(dayOf(accepted_at)) : own.withdrawnOn(dayOf(withdrawn_at))}</p>
            {whyNot === null ? null : <p>{whyNot}</p>}
            {withdrawn_at === null && whyNot === null && !isWithdrawn(purpose) ? (
              <Button kind="quiet" onPress={() => onWithdraw(purpose)}>
                {own.withdraw(own.purposes[purpose])}
              </Button>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}

interface ActProps {
  readonly problem: { readonly title: string; readonly text: string } | null;
  readonly pending: boolean;
  readonly owed: number;
  readonly onKeep: () => void;
}

function Withdraw({
  purpose,
  onDo,
  ...act
}: ActProps & { readonly purpose: ConsentPurpose; readonly onDo: (purpose: ConsentPurpose) => void }) {
  const own = usePageWords(MY_DATA_WORDS);
  const asked = { title: own.withdrawTitle(own.purposes[purpose]), text: own.means[purpose] };
  return <Confirmed {...act} words={asked} action={own.withdrawAction} onDo={() => onDo(purpose)} />;
}

function RemoveCard({
  card,
  onDo,
  ...act
}: ActProps & { readonly card: OwnCard; readonly onDo: (card: OwnCard) => void }) {
  const words = useAllWords();
  const own = usePageWords(OWN_CARDS_WORDS);
  const asked = own.confirm(nameOfCard(card, words));
  // The debt does not depend on this card, so this screen does not mention it.
  return <Confirmed {...act} owed={0} words={asked} action={own.confirmAction} onDo={() => onDo(card)} />;
}

function Erase({ onDo, ...act }: ActProps & { readonly onDo: () => void }) {
  const own = usePageWords(MY_DATA_WORDS);
  return <Confirmed {...act} words={own.eraseConfirm} action={own.eraseAction} onDo={onDo} />;
}

interface ConfirmedProps extends ActProps {
  readonly words: { readonly title: string; readonly text: string };
  readonly action: string;
  readonly onDo: () => void;
}

/** Confirmation screen: shows the consequences before the action. */
function Confirmed({ words, action, problem, pending, owed, onDo, onKeep }: ConfirmedProps) {
  const own = usePageWords(MY_DATA_WORDS);
  return (
    <MessageScreen
      words={words}
      action={{ label: action, onPress: onDo, pending }}
      secondary={{ label: own.keep, onPress: onKeep }}
    >
      {owed > 0 ? <p>{own.stillOwed(formatPesos(owed))}</p> : null}
      <ArrivingNotice words={problem} />
    </MessageScreen>
  );
}

function Erased({ answer }: { readonly answer: EraseDataResponse }) {
  const own = usePageWords(MY_DATA_WORDS);
  return (
    <MessageScreen key="erased" icon="check" words={answer.status === "erased" ? own.erased : own.waiting}>
      {answer.kept.length === 0 ? null : (
        <Notice tone="info" title={own.keptTitle}>
          {answer.kept.map(({ what, because }) => (
            <p key={`${what} ${because}`}>
              {own.kept[what]}: {own.because[because]}.
            </p>
          ))}
        </Notice>
      )}
    </MessageScreen>
  );
}

function Asked({ answer, onBack }: { readonly answer: MakeRightsRequestResponse; readonly onBack: () => void }) {
  const own = usePageWords(RIGHTS_REQUEST_WORDS);
  const dayOf = useDayOf();
  return (
    <MessageScreen
      key="asked"
      icon="check"
      words={own.asked(dayOf(answer.answer_by))}
      action={{ label: own.back, onPress: onBack }}
    />
  );
}

function ErasedBefore() {
  const own = usePageWords(MY_DATA_WORDS);
  return <MessageScreen key="erased-before" words={own.erasedBefore} />;
}

/** Builds the file in the browser from the data shown: no server stores it. */
function download(data: PatientData, name: string): void {
  saveFile(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }), name);
}
