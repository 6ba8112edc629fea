import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PLANTS } from "./plants.ts";
import { DONE, type Observed, PROPERTIES } from "./properties.ts";
import type { Screen } from "./screen.ts";
import { observe, withVerdict } from "./temporal.ts";

const EMPTY: Screen = {
  locale: "es-CL",
  heading: "",
  title: "",
  isFocusLost: false,
  isBusy: false,
  alerts: "",
  faults: [],
  text: "",
  amounts: {},
  pays: false,
  ways: 3,
  ticked: [],
  typed: {},
};

type Moment = Partial<Omit<Observed, "screen">> & { readonly screen?: Partial<Screen> };

/** One state per second. A state keeps the values of the previous one unless it names them, except for its screen. */
function violated(moments: readonly Moment[]): string[] {
  let before: Observed = {
    atMs: -1_000,
    action: null,
    pressedPay: false,
    pressedLanguage: false,
    screen: EMPTY,
    isSettled: true,
    lastEventMs: -10_000,
    payments: 0,
    paidAnswers: 0,
    isCardDead: false,
    hiddenCard: null,
  };
  let properties = PROPERTIES;
  for (const { screen, ...moment } of moments) {
    before = { ...before, atMs: before.atMs + 1_000, ...moment, screen: { ...EMPTY, ...screen } };
    properties = observe(properties, before);
  }
  return withVerdict(properties, "violated");
}

const summary = { heading: "Atiéndete ahora, paga después", amounts: { "Valor de la atención": "$45.952" } };
const review = {
  heading: "Revisa y paga",
  text: "Nada se cobra hasta que presiones el botón.",
  amounts: { Hoy: "$13.786", "Valor de la atención": "$45.952" },
  pays: true,
};
const paying = { heading: "Procesando tu pago" };
const [DONE_IN_SPANISH = "", DONE_IN_ENGLISH = ""] = DONE;
const done = { heading: DONE_IN_SPANISH, amounts: { "Pagado hoy": "$13.786", "Valor de la atención": "$45.952" } };
const declined = { ...review, text: "No se cobró nada. Prueba con otra tarjeta.", alerts: "Tu banco no aprobó" };

const SOUND: readonly Moment[] = [
  { screen: summary },
  { action: "fill", screen: { ...summary, ticked: ["terms"] } },
  { action: "submit", lastEventMs: 1_500, screen: review },
  { action: "submit", pressedPay: true, payments: 1, lastEventMs: 2_500, screen: paying },
  { pressedPay: false, lastEventMs: 3_500, screen: declined },
  { action: "submit", pressedPay: true, payments: 2, lastEventMs: 4_500, screen: paying },
  { pressedPay: false, paidAnswers: 1, lastEventMs: 5_500, screen: paying },
  { screen: done },
  { action: "reload", lastEventMs: 8_500, screen: done },
];

const english = {
  locale: "en",
  heading: DONE_IN_ENGLISH,
  amounts: { "Paid today": "$13,786", Price: "$45,952" },
};

test("a change to English after the payment violates no property", () => {
  assert.deepEqual(violated([...SOUND, { action: "press", pressedLanguage: true, screen: english }]), []);
});

test("a known patient who sends the code sees the saved card, and violates no property", () => {
  const known = { ...review, text: "Visa ••7763" };
  const sent = { hiddenCard: null, lastEventMs: 500, screen: known };
  assert.deepEqual(violated([{ hiddenCard: "7763", screen: { ...review, pays: false } }, sent]), []);
});

test("a payment after a declined card, and a reload, violates no property", () => {
  assert.deepEqual(violated(SOUND), []);
});

const CASES: readonly (readonly [property: string, moments: readonly Moment[]])[] = [
  [
    "after Listo no screen says that nothing was charged",
    [...SOUND, { screen: { heading: "El acceso a tu isapre", text: "No se cobró nada." } }],
  ],
  [
    "money taken is shown within 30 s of the answer",
    [...SOUND.slice(0, 7), ...Array.from({ length: 31 }, () => ({ screen: paying }))],
  ],
  [
    "no number changes by itself",
    [{ screen: summary }, { screen: { ...summary, amounts: { ...summary.amounts, "Hoy pagas": "$1" } } }],
  ],
  [
    "only a press of Pagar pays, never Back, a reload or time",
    [...SOUND.slice(0, 3), { action: "back", payments: 1, screen: review }],
  ],
  ["an order shown as paid never offers to pay", [...SOUND, { screen: { ...done, pays: true } }]],
  ["an order shown as paid is never shown as unpaid", [...SOUND, { action: "reload", screen: summary }]],
  ["an error leaves a way on", [{ screen: { ...summary, alerts: "No tienes conexión", ways: 0 } }]],
  [
    "the receipt has the amounts of the review",
    [...SOUND, { lastEventMs: 9_500, screen: { ...done, amounts: { ...done.amounts, "Pagado hoy": "$13.787" } } }],
  ],
  [
    "the price is the same on every screen",
    [{ screen: summary }, { action: "submit", screen: { ...review, amounts: { "Valor de la atención": "$45.953" } } }],
  ],
  ["a consent is never ticked by itself", [{ screen: summary }, { screen: { ...summary, ticked: ["terms"] } }]],
  [
    "a lost connection keeps what was typed",
    [
      { action: "fill", screen: { heading: "Tu tarjeta", typed: { holder: "Ana" } } },
      { action: "offline", isSettled: false, screen: { heading: "Tu tarjeta", typed: { holder: "Ana" } } },
      { isSettled: true, screen: { heading: "Tu tarjeta", alerts: "Lo que escribiste sigue aquí." } },
    ],
  ],
  [
    "a card declined for good is not charged again",
    [...SOUND.slice(0, 4), { isCardDead: true, screen: declined }, { pressedPay: true, payments: 2, screen: paying }],
  ],
  ["a saved card is shown only after its code", [{ hiddenCard: "7763", screen: { ...review, text: "Visa ••7763" } }]],
  [
    "the language changes only when the patient changes it",
    [...SOUND, { action: "reload", lastEventMs: 9_500, screen: english }],
  ],
];

for (const [property, moments] of CASES)
  test(`the trace violates only this property: ${property}`, () => {
    assert.deepEqual(violated(moments), [property]);
  });

test("each property has a trace that violates it", () => {
  assert.deepEqual(
    CASES.map(([property]) => property),
    Object.keys(PROPERTIES),
  );
});

test("the README's table has each planted bug", () => {
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
  const rows = [...readme.matchAll(/^\| ([^|]+) \| \d+ \|$/gm)].map(([, name]) => name);
  assert.deepEqual(
    rows,
    PLANTS.map(({ name }) => name),
  );
});
