import { html } from "../../../platform/http/html.ts";
import { providerNow } from "../../../platform/provider.ts";
import { santiagoDay } from "../../../platform/santiago-time.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { clinicAccountsView, trialBalanceView } from "../../views/accounting-view.ts";
import { consoleEndpoints } from "../console-endpoints.ts";
import { type AnswerOf, type ConsolePage, type ConsoleRoute, consoleRoute } from "../console-route.ts";
import { facts, field, moment, pesos, section, shortId, table } from "../layout.ts";
import { ACCOUNT_WORDS, MOVEMENT_WORDS } from "../words.ts";
import { clinicName, requireClinic } from "./clinic-names.ts";
import { monthForm, ofClinic, theMonth } from "./money-pages.ts";

const { readStatement, readTrialBalance } = consoleEndpoints;

export function accountingRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  const { db, clock, environment } = dependencies;
  return [
    consoleRoute(readTrialBalance, {
      handle: ({ query }) =>
        trialBalanceView(db, { environment, provider: null, day: query.at ?? santiagoDay(clock.now()) }),
      page: trialBalancePage,
    }),
    consoleRoute(readStatement, {
      async handle({ params, query }) {
        const clinic = await requireClinic(dependencies, params.id);
        const present = santiagoDay(providerNow(clinic, clock.now())).slice(0, 7);
        const { month, days } = theMonth(query.month ?? present);
        return { clinic: clinicName(clinic), month, accounts: await clinicAccountsView(db, clinic, days) };
      },
      page: statementPage,
    }),
  ];
}

function trialBalancePage({ at, clinics, accounts, total }: AnswerOf<typeof readTrialBalance>): ConsolePage {
  const sums = ({ debit, credit, balance }: typeof total) => [pesos(debit), pesos(credit), pesos(balance)];
  return {
    title: "Balance de comprobación",
    body: html`<form class="panel" action="/trial-balance" aria-label="Otro día">${field("at", "Al final del día", { type: "date", value: at })}<button class="quiet">Ver</button></form>
${table(
  `Todas las clínicas juntas (${clinics}), con todo lo registrado hasta el final del ${at} en Santiago.`,
  ["Cuenta", "Debe", "Haber", "Saldo"],
  [
    ...accounts.map((row) => [html`${ACCOUNT_WORDS[row.account]} <code>${row.account}</code>`, ...sums(row)]),
    [html`<b>Total</b>`, ...sums(total)],
  ],
)}
<p>Como CSV: <code>aapd ledger balances --all --at ${at}</code></p>`,
  };
}

function statementPage({ clinic, month, accounts }: AnswerOf<typeof readStatement>): ConsolePage {
  return {
    title: `Cuenta de la clínica en ${month}`,
    body: html`${ofClinic(clinic)}${monthForm(`/clinics/${clinic.id}/statement`, month)}
${accounts.length === 0 && html`<p class="notice">Ningún movimiento hasta el fin del mes.</p>`}
${accounts.map(accountSection)}
<p>Como CSV: <code>aapd ledger statement ${clinic.id} --month ${month}</code></p>`,
  };
}

type Account = AnswerOf<typeof readStatement>["accounts"][number];

function accountSection({ name, opening, sums, closing, movements }: Account) {
  return section(
    name,
    html`${facts([
      ["Saldo inicial", pesos(opening)],
      ["Ventas", pesos(sums.sales)],
      ["Devoluciones", pesos(sums.refunds)],
      ["Comisión, neta", pesos(sums.fees)],
      ["IVA de la comisión", pesos(sums.fee_vat)],
      ["Pagos a la clínica", pesos(sums.payouts)],
      ["Saldo final, a favor de la clínica", pesos(closing)],
    ])}
${table(
  "Cada movimiento, el más antiguo primero. Positivo: a favor de la clínica.",
  ["Cuándo", "Qué", "Referencia", "Referencia de la devolución", "Pago", "Monto", "Saldo"],
  movements.map((one) => [
    moment(one.at),
    MOVEMENT_WORDS[one.kind],
    html`<a href="/orders/${one.order}">${one.reference}</a>`,
    one.refund_reference ?? "—",
    one.payout === null ? "—" : shortId(one.payout),
    pesos(one.amount),
    pesos(one.balance),
  ]),
  { empty: "Ningún movimiento en el mes." },
)}`,
  );
}
