import * as z from "zod";
import { balancesOf } from "../../../orders/book-reads.ts";
import { html } from "../../../platform/http/html.ts";
import { type Provider, providerNow } from "../../../platform/provider.ts";
import { santiagoDay } from "../../../platform/santiago-time.ts";
import { listPayouts, payoutItems } from "../../../settlement/payout-views.ts";
import { readReconciliation } from "../../../settlement/read-reconciliation.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { listExceptions } from "../../list-exceptions.ts";
import { type Month, monthOf } from "../../month.ts";
import { exceptionView } from "../../views/exception-view.ts";
import { bookedEntries, payoutItemView, payoutView, statementOf } from "../../views/money-view.ts";
import { consoleEndpoints } from "../console-endpoints.ts";
import { type AnswerOf, type ConsolePage, type ConsoleRoute, consoleRoute } from "../console-route.ts";
import { facts, field, form, knownFacts, moment, named, orderLink, pesos, section, shortId, table } from "../layout.ts";
import { ConsoleRefused } from "../refusal.ts";
import { COMPARED_WORDS, EXCEPTION_WORDS, FACT_VALUES, PAYOUT_STATE_WORDS } from "../words.ts";
import { type ClinicName, clinicName, requireClinic } from "./clinic-names.ts";
import { exceptionPath } from "./order-pages.ts";

const { readMoney, readPayout, readLedger, askToReconcile, reconcile } = consoleEndpoints;

export function moneyRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  const { db, clock } = dependencies;
  const monthAsked = (clinic: Provider, text: string | undefined) =>
    theMonth(text ?? santiagoDay(providerNow(clinic, clock.now())).slice(0, 7));
  return [
    consoleRoute(readMoney, {
      async handle({ params, query }) {
        const clinic = await requireClinic(dependencies, params.id);
        const { month, days } = monthAsked(clinic, query.month);
        const requested = { providerId: clinic.id, from: days.firstDay, to: days.lastDay, of: "clinics" } as const;
        const payouts = await listPayouts(db, requested);
        return {
          clinic: clinicName(clinic),
          month,
          payouts: payouts.map(payoutView),
          totals: (await statementOf(db, payouts)).totals,
          balances: await balancesOf(db, clinic.id),
        };
      },
      page: moneyPage,
    }),
    consoleRoute(readPayout, {
      async handle({ params }) {
        const clinic = await requireClinic(dependencies, params.id);
        const id = params.payout ?? "";
        const isId = z.uuid().safeParse(id).success;
        const items = isId ? await payoutItems(db, { providerId: clinic.id, id }) : [];
        if (items.length === 0) throw new ConsoleRefused("not_found");
        return { clinic: clinicName(clinic), payout: id, items: items.map(payoutItemView) };
      },
      page: payoutPage,
    }),
    consoleRoute(readLedger, {
      async handle({ params, query }) {
        const clinic = await requireClinic(dependencies, params.id);
        const { month, days } = monthAsked(clinic, query.month);
        const entries = await bookedEntries(db, { providerId: clinic.id, from: days.from, to: days.to });
        return { clinic: clinicName(clinic), month, entries };
      },
      page: ledgerPage,
    }),
    consoleRoute(askToReconcile, {
      handle: ({ params }) => readDifferences(dependencies, params.id),
      page: differencesPage,
    }),
    consoleRoute(reconcile, {
      async handle({ params, body: { from, to } }) {
        const clinic = await requireClinic(dependencies, params.id);
        const now = providerNow(clinic, clock.now());
        const compared = await readReconciliation(dependencies, { providerId: clinic.id, now, from, to });
        return { clinic: clinicName(clinic), ...compared };
      },
      page: comparedPage,
    }),
  ];
}

/** The findings of the daily reconciliation. A list that was unavailable compares nothing, so it is shown too. */
async function readDifferences(
  dependencies: ConsoleDependencies,
  id: string | undefined,
): Promise<AnswerOf<typeof askToReconcile>> {
  const clinic = await requireClinic(dependencies, id);
  const listed = await listExceptions(dependencies, clinic.id);
  const found = listed.filter(({ kind }) => kind === "difference" || kind === "list_unavailable");
  return { clinic: clinicName(clinic), differences: found.map(exceptionView) };
}

export function theMonth(month: string): { readonly month: string; readonly days: Month } {
  const days = monthOf(month);
  if (days === null) throw new ConsoleRefused("invalid_input");
  return { month, days };
}

export function monthForm(path: string, month: string) {
  return html`<form class="panel" action="${path}" aria-label="Otro mes">${field("month", "Mes", { type: "month", value: month })}<button class="quiet">Ver</button></form>`;
}

export function ofClinic({ id, name }: ClinicName) {
  return html`<p class="lead"><a href="/clinics/${id}">${name}</a></p>`;
}

function moneyPage({ clinic, month, payouts, totals, balances }: AnswerOf<typeof readMoney>): ConsolePage {
  const path = `/clinics/${clinic.id}`;
  return {
    title: `Pagos de ${month}`,
    body: html`${ofClinic(clinic)}${monthForm(`${path}/money`, month)}
${table(
  "Cada transferencia del mes, la más antigua primero.",
  ["Día", "Pago", "Destinatario", "Monto", "Estado", "Pagado", "Volvió"],
  payouts.map((payout) => [
    payout.day,
    shortId(payout.payout, `${path}/payouts/${payout.payout}`),
    shortId(payout.payee),
    pesos(payout.amount),
    payoutWords(payout),
    moment(payout.state === "refused" ? null : payout.settled_at),
    moment(payout.returned_at),
  ]),
  { empty: "Ningún pago en el mes." },
)}
${section(
  "Sumas",
  table(
    "Lo que el banco rechazó o devolvió no está: sus órdenes van en un pago posterior.",
    ["Destinatario", "Estado", "Neto", "Comisión retenida", "de ella, IVA"],
    totals.map(({ payee, state, net, fee, fee_vat }) => [
      shortId(payee),
      PAYOUT_STATE_WORDS[state] ?? state,
      pesos(net),
      pesos(fee),
      pesos(fee_vat),
    ]),
  ),
)}
${section(
  "Saldos de las cuentas, hoy",
  table(
    "Débitos menos créditos; todas suman cero.",
    ["Cuenta", "Saldo"],
    balances.map(({ account, balance }) => [html`<code>${account}</code>`, pesos(balance)]),
  ),
)}`,
  };
}

function payoutWords({ state, refusal }: AnswerOf<typeof readMoney>["payouts"][number]): string {
  const words = PAYOUT_STATE_WORDS[state] ?? state;
  return refusal === null ? words : `${words}: ${FACT_VALUES[refusal] ?? refusal}`;
}

function payoutPage({ clinic, payout, items }: AnswerOf<typeof readPayout>): ConsolePage {
  return {
    title: "De qué órdenes es el pago",
    body: html`${ofClinic(clinic)}<p class="hash">${payout}</p>${table(
      "",
      ["Orden", "Neto", "Comisión retenida", "de ella, IVA"],
      items.map(({ order, net, fee, fee_vat }) => [orderLink(order), pesos(net), pesos(fee), pesos(fee_vat)]),
    )}`,
  };
}

function ledgerPage({ clinic, month, entries }: AnswerOf<typeof readLedger>): ConsolePage {
  return {
    title: `Libro de ${month}`,
    body: html`${ofClinic(clinic)}${monthForm(`/clinics/${clinic.id}/ledger`, month)}
${table(
  "Cada movimiento, el más antiguo primero.",
  ["Cuándo", "Debe", "Haber", "Monto", "Causa", "Orden"],
  entries.map(({ at, debit, credit, amount, cause, order }) => [
    moment(at),
    html`<code>${debit}</code>`,
    html`<code>${credit}</code>`,
    pesos(amount),
    html`<span class="hash">${cause}</span>`,
    orderLink(order),
  ]),
  { empty: "Ningún movimiento en el mes." },
)}`,
  };
}

function differencesPage({ clinic, differences }: AnswerOf<typeof askToReconcile>): ConsolePage {
  return {
    title: "Conciliación",
    body: html`${ofClinic(clinic)}
${table(
  "Lo que la conciliación diaria encontró y sigue en pie.",
  ["Qué", "Desde", "Orden"],
  differences.map((one) => [
    html`<a href="${exceptionPath(one.exception)}">${EXCEPTION_WORDS[one.kind].title}</a> ${knownFacts(one.facts)}`,
    moment(one.since),
    orderLink(one.order_hash),
  ]),
  { empty: "Ninguna diferencia en pie." },
)}
${section("Comparar ahora", reconcileForm(clinic))}`,
  };
}

function reconcileForm({ id }: ClinicName) {
  return form(
    `/clinics/${id}/reconciliation`,
    html`<p>Pide las listas a los terceros. Sin días, ayer y hoy.</p>${field("from", "Desde", { type: "date" })}${field("to", "Hasta", { type: "date" })}<button class="quiet">Comparar</button>`,
    "Comparar ahora",
  );
}

function comparedPage({
  clinic,
  from,
  to,
  agrees,
  unavailable,
  compared,
  differences,
}: AnswerOf<typeof reconcile>): ConsolePage {
  return {
    title: agrees ? "Cuadra" : "No cuadra",
    body: html`${ofClinic(clinic)}<p class="notice"${!agrees && html` data-tone="warning"`} role="status">Del ${from} al ${to}: ${agrees ? "los libros cuadran con todas las listas." : "mira abajo."}</p>
${unavailable.length > 0 && html`<p>Sin lista: ${unavailable.map((party) => FACT_VALUES[party] ?? party).join(", ")}.</p>`}
${facts(Object.entries(compared).map(([name, count]) => [COMPARED_WORDS[name] ?? name, count] as const))}
${table(
  "Diferencias",
  ["Qué", "Tercero", "Orden", "Referencia", "Esperado", "Encontrado"],
  differences.map((one) => [
    html`<code>${one.kind}</code>`,
    named(one.party),
    orderLink(one.order_hash),
    html`<span class="hash">${one.reference}</span>`,
    pesos(one.expected),
    pesos(one.found),
  ]),
)}`,
  };
}
