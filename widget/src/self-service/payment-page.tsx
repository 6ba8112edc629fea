import { useMutation, useQuery } from "@tanstack/react-query";
import type { OrderDocument } from "bff/contract/order-files";
import type { PaymentPage as Payment } from "bff/contract/payment-page";
import { readRut } from "bff/contract/vocabulary/rut";
import { useEffect, useEffectEvent, useState } from "react";
import { type Problem, problemOf, valueOrThrow } from "../api/problem.ts";
import { saveOrderFile } from "../browser/save-file.ts";
import { brandName } from "../checkout/card/card-brand.tsx";
import { ArrivingNotice } from "../checkout/problem/arriving-notice.tsx";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { type AmountRow, Amounts } from "../design/amounts.tsx";
import { Button } from "../design/button.tsx";
import { Skeleton } from "../design/frame.tsx";
import { Notice } from "../design/notice.tsx";
import { ScreenTitle } from "../design/screen-title.tsx";
import { formatPesos } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { ChangeCard } from "./card-change-page.tsx";
import { GiveAccess } from "./insurer-access-page.tsx";
import { usePageWords } from "./link-page.ts";
import { asksForCode, behindCode, type OpenedPageProps, useDayOf } from "./opened-link.tsx";
import { PayRest } from "./pay-early-page.tsx";
import { type Acting, offeredActions } from "./payment-actions.ts";
import styles from "./payment-page.module.css";
import { type PaymentStep, paymentSteps } from "./payment-steps.ts";
import { PAYMENT_WORDS } from "./payment-words.ts";

/** The state of a payment, and everything that its patient can do about it. */
export const PaymentPage = behindCode(PAYMENT_WORDS, OpenedPayment);

function OpenedPayment(props: OpenedPageProps) {
  const { session, token, parts, opened, close } = props;
  const words = useAllWords();
  const own = usePageWords(PAYMENT_WORDS);
  const [acting, setActing] = useState<Acting | null>(null);
  const payment = useQuery({
    queryKey: ["payment", token, opened.access],
    queryFn: async () =>
      valueOrThrow(await parts.api.readPayment(session.public_key, { widget_token: token, access: opened.access })),
    // The screen shows the failure and offers to retry.
    retry: false,
    // Personal data is dropped with the page.
    gcTime: 0,
  });
  const leave = useEffectEvent(close);
  useEffect(() => {
    if (payment.error !== null && asksForCode(problemOf(payment.error))) leave(problemOf(payment.error));
  }, [payment.error]);

  if (payment.data === undefined) {
    if (payment.error === null) return <Skeleton />;
    const again = { label: words.page.retry, onPress: () => void payment.refetch(), pending: payment.isFetching };
    return <MessageScreen words={problemWords(problemOf(payment.error), words)} action={again} />;
  }
  if (acting === null) return <Overview {...props} payment={payment.data} onAct={setActing} />;
  return (
    <div className={styles.screen}>
      <Action {...props} acting={acting} payment={payment.data} />
      <Button
        kind="quiet"
        onPress={() => {
          setActing(null);
          void payment.refetch();
        }}
      >
        {own.actions.back}
      </Button>
    </div>
  );
}

/** The screen of an action, as its own link would open it. */
function Action({
  acting,
  payment: { actions },
  ...props
}: OpenedPageProps & { readonly acting: Acting; readonly payment: Payment }) {
  if (acting === "give_access") return <GiveAccess {...props} />;
  const opened = { ...props.opened, due: actions[acting] };
  return acting === "pay_early" ? <PayRest {...props} opened={opened} /> : <ChangeCard {...props} opened={opened} />;
}

interface OverviewProps extends OpenedPageProps {
  readonly payment: Payment;
  readonly onAct: (acting: Acting) => void;
}

function Overview({ payment, ...props }: OverviewProps) {
  const { date, review } = useAllWords();
  const own = usePageWords(PAYMENT_WORDS);
  const dayOf = useDayOf();
  const { clinic, reference, consultation_day: day } = payment;
  const cardEnds = ({ brand, last4 }: Payment["second_charge"]["card"]) => review.cardEnds(brandName(brand), last4);
  const steps = paymentSteps(payment, { words: own, date, dayOf, cardEnds, pesos: formatPesos });
  return (
    <div className={styles.screen}>
      <ScreenTitle title={own.view} intro={own.about(clinic, reference, day && date(day))} />
      <ol className={styles.steps} aria-label={own.timeline}>
        {steps.map((step) => (
          <Step key={step.label} {...step} />
        ))}
      </ol>
      <Refunds payment={payment} />
      <OwnCost payment={payment} />
      <Actions payment={payment} {...props} />
    </div>
  );
}

function Step({ label, state, note, pesos }: PaymentStep) {
  return (
    <li className={styles.step} data-state={state} aria-current={state === "now" ? "step" : undefined}>
      <p className={styles.line}>
        <span className={styles.label}>{label}</span>
        {pesos === null ? null : <span className={styles.pesos}>{formatPesos(pesos)}</span>}
      </p>
      {note === null ? null : <p className={styles.note}>{note}</p>}
    </li>
  );
}

function Refunds({ payment: { refunds } }: Pick<OverviewProps, "payment">) {
  const { refunds: words } = usePageWords(PAYMENT_WORDS);
  const dayOf = useDayOf();
  return refunds.map(({ status, amount, at, transferred = 0, ...rest }) => {
    const moved = { ...rest, transferred, by_transfer: rest.by_transfer - transferred };
    const rows: AmountRow[] = (["off_second_charge", "to_cards", "by_bank", "transferred", "by_transfer"] as const)
      .filter((kind) => moved[kind] > 0)
      .map((kind) => ({ label: words[kind], pesos: moved[kind] }));
    if (status !== "succeeded") rows.push({ label: words[status], pesos: amount });
    return (
      <section key={at} className={styles.actions}>
        <h2 className={styles.heading}>{words.title(dayOf(at))}</h2>
        <Amounts rows={rows} />
      </section>
    );
  });
}

function OwnCost({ payment: { own_cost: cost, claim } }: Pick<OverviewProps, "payment">) {
  const { cost: words } = usePageWords(PAYMENT_WORDS);
  const reimbursed = claim?.reimbursed_amount ?? null;
  if (cost === null || reimbursed === null) return null;
  return (
    <Amounts
      rows={[
        { label: words.reimbursed, pesos: reimbursed },
        { label: words.own, pesos: cost, weight: "total" },
      ]}
    />
  );
}

function Actions({ payment, onAct, ...props }: OverviewProps) {
  const { actions: words } = usePageWords(PAYMENT_WORDS);
  const { done } = useAllWords();
  const { download, asking, problem } = useRequests(props);
  const { files = [], actions } = payment;
  const labelOf = (acting: Acting) =>
    acting === "pay_early" ? words.pay_early(formatPesos(actions.pay_early?.amount ?? 0)) : words[acting];
  return (
    <div className={styles.actions}>
      <ArrivingNotice words={problem} />
      {offeredActions(payment).map(({ acting, kind }) => (
        <Button key={acting} kind={kind} onPress={() => onAct(acting)}>
          {labelOf(acting)}
        </Button>
      ))}
      <div className={styles.more}>
        {files.map((document) => (
          <Button
            key={document}
            kind="quiet"
            onPress={() => download.mutate(document)}
            pending={download.isPending && download.variables === document}
          >
            {done.files[document]}
          </Button>
        ))}
        {asking.isSuccess ? null : (
          <Button kind="quiet" onPress={asking.mutate} pending={asking.isPending}>
            {words.data}
          </Button>
        )}
      </div>
      {asking.isSuccess ? (
        <Notice tone="success" role="status">
          <p>{words.dataSent}</p>
        </Notice>
      ) : null}
    </div>
  );
}

/** Requests without a screen: the files, and the link to the patient's data. */
function useRequests({ session: { public_key: publicKey }, token, parts, opened, close }: OpenedPageProps) {
  const words = useAllWords();
  const [problem, setProblem] = useState<Problem | null>(null);
  const refuse = (failure: unknown) => {
    const refused = problemOf(failure);
    if (asksForCode(refused)) close(refused);
    else setProblem(refused);
  };
  // The screen shows a failure, and the patient presses again.
  const shared = { retry: false, onMutate: () => setProblem(null), onError: refuse };
  const { access, patient } = opened;
  const { locale } = words;
  const download = useMutation({
    ...shared,
    mutationFn: async (document: OrderDocument) => {
      const wanted = { widget_token: token, access, document, locale };
      saveOrderFile(valueOrThrow(await parts.api.makePaymentFile(publicKey, wanted)));
    },
  });
  const asking = useMutation({
    ...shared,
    mutationFn: async () => {
      const rut = readRut(patient.rut);
      if (rut !== null) valueOrThrow(await parts.api.sendDataLink(publicKey, { rut }));
    },
  });
  return { download, asking, problem: problem === null ? null : problemWords(problem, words) };
}
