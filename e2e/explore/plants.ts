import { en } from "../../widget/src/words/en.ts";
import { esCl } from "../../widget/src/words/es-cl.ts";
import { PAID } from "./properties.ts";

/** A possible bug of a checkout, as a script for its document. The product contains none of them. */
export interface Plant {
  readonly name: string;
  /** The property that the explorer must report. */
  readonly found: RegExp;
  readonly script: string;
}

/** Runs a function after each change of the document. */
const onChange = (statement: string) =>
  `new MutationObserver(() => { ${statement} }).observe(document, { childList: true, subtree: true, characterData: true });`;

/** While the condition holds, adds an element to the page, outside of React's output. */
const whileAdded = (condition: string, make: string, where: "prepend" | "append" = "append") =>
  onChange(
    `const heading = [...document.querySelectorAll("h1")].find(({ id }) => id !== "planted")?.textContent ?? ""; const isPaid = ${JSON.stringify(PAID)}.includes(heading); const added = document.querySelector("#planted"); if (!(${condition})) added?.remove(); else if (!added) { const element = ${make}; element.id = "planted"; document.body.${where}(element); }`,
  );
const element = (tag: string, text: string) =>
  `Object.assign(document.createElement("${tag}"), { textContent: "${text}" })`;
/** An amount and its label, as screens list them. If a label repeats, the last amount counts. */
const amount = (label: string, pesos: string) =>
  `(() => { const list = document.createElement("dl"); const row = document.createElement("div"); row.append(${element("dt", label)}, ${element("dd", pesos)}); list.append(row); return list; })()`;
const hasHeading = (...headings: readonly string[]) => `${JSON.stringify(headings)}.includes(heading)`;
/** While the condition holds, adds a heading and makes it the title. */
const whileHeaded = (condition: string, text: string) =>
  `${whileAdded(condition, element("h1", text), "prepend")} ${onChange(`if (document.querySelector("#planted") && document.title !== "${text}") document.title = "${text}";`)}`;
/** Bugs that a single look at a screen, or a single press, reveals. */
const OF_A_MOMENT: readonly Plant[] = [
  {
    name: "the focus is lost when a screen appears",
    found: /focus/,
    script: `addEventListener("focusin", ({ target }) => { if (target.tagName === "H1") target.blur(); });`,
  },
  {
    name: "a press writes an error to the console",
    found: /console/,
    script: `addEventListener("click", ({ target }) => { if (target.closest("button")) console.error("planted"); });`,
  },
  {
    name: "typing leaves an unhandled rejection",
    found: /console/,
    script: `addEventListener("input", () => { void Promise.reject(new Error("planted")); });`,
  },
  {
    name: "typed text is sent to the embedding page",
    found: /personal/,
    script: `addEventListener("input", ({ target }) => { if (parent !== window) parent.postMessage({ typed: target.value }, "*"); });`,
  },
  {
    name: "fields lose their labels",
    found: /no label/,
    script: onChange(`for (const label of document.querySelectorAll("label[for]")) label.removeAttribute("for");`),
  },
  {
    name: "buttons are pictures without a name",
    found: /no name/,
    script: onChange(
      `for (const button of document.querySelectorAll("button")) if (["Volver", "Back"].includes(button.textContent)) button.textContent = "";`,
    ),
  },
  {
    name: "an id is used twice",
    found: /the id/,
    script: onChange(
      `if (document.body && document.querySelectorAll("#planted").length < 2 && document.querySelector("input[type=text]")) { for (let n = 0; n < 2; n += 1) document.body.append(Object.assign(document.createElement("i"), { id: "planted" })); }`,
    ),
  },
  {
    name: "a screen is wider than a phone",
    found: /wider/,
    script: onChange(
      `const form = document.querySelector("form"); if (form && document.querySelector("select")) form.style.width = "3000px";`,
    ),
  },
  {
    name: "the page's title is not updated",
    found: /title/,
    script: onChange(
      `if (!document.title.startsWith("Resumen") && document.title !== "planted") document.title = "planted";`,
    ),
  },
  {
    name: "the main button does nothing on the second screen",
    found: /answer/,
    script: `for (const type of ["click", "submit"]) addEventListener(type, (event) => { if (document.querySelector("select") && (type === "submit" || event.target.closest("button[type=submit]"))) { event.preventDefault(); event.stopImmediatePropagation(); } }, true);`,
  },
  {
    name: "the height of a screen feeds on itself",
    found: /height/,
    script: `requestAnimationFrame(function grow(now) { const frame = document.querySelector("select") && document.querySelector(".aapd-frame"); if (frame) frame.style.minHeight = 5000 + (now % 200) + "px"; requestAnimationFrame(grow); });`,
  },
  {
    name: "a payment is announced that was not made",
    found: /server/,
    script: onChange(
      `const title = document.querySelector("h1"); if (["Tus datos", "Your details"].includes(title?.textContent)) document.title = title.textContent = "¡Listo! Tu pago está hecho";`,
    ),
  },
];

/** Bugs that only an earlier or later state reveals. */
const OVER_TIME: readonly Plant[] = [
  {
    name: "after Listo a screen says that nothing was charged",
    found: /after Listo/,
    script: whileAdded("isPaid", element("p", "No se cobró nada.")),
  },
  {
    name: "a payment's end is never shown",
    found: /money taken/,
    script: whileHeaded("isPaid", "Estamos confirmando tu pago"),
  },
  {
    name: "an amount counts up by itself",
    found: /no number changes/,
    script: `${whileAdded("document.body", amount("Total", "$1"))} setInterval(() => { const total = document.querySelector("#planted dd"); if (total) total.textContent += "0"; }, 700);`,
  },
  {
    name: "Back pays",
    found: /never Back/,
    // By then the screen before is back.
    script: `addEventListener("popstate", () => setTimeout(() => { for (const box of document.querySelectorAll("form input[type=checkbox]:not(:checked)")) box.click(); for (const button of document.querySelectorAll("button[type=submit]")) if (/^(Pagar|Pay) /.test(button.textContent)) button.click(); }, 500));`,
  },
  {
    name: "a paid order offers to pay",
    found: /never offers to pay/,
    script: whileAdded("isPaid", element("button", "Pagar $1.000")),
  },
  {
    name: "a reload forgets the payment",
    found: /never shown as unpaid/,
    script: whileHeaded(hasHeading(en.done.alreadyTitle, esCl.done.alreadyTitle), esCl.card.title),
  },
  {
    name: "an error takes all buttons and fields away",
    found: /leaves a way on/,
    script: onChange(
      `if ([...document.querySelectorAll("[role=alert]")].some((alert) => alert.getClientRects().length > 0)) for (const way of document.querySelectorAll("button, input, select, summary, a")) way.style.display = "none";`,
    ),
  },
  {
    name: "the receipt has another amount than the review",
    found: /receipt has the amounts/,
    script: whileAdded("isPaid", amount("Pagado hoy", "$1")),
  },
  {
    name: "the price is another on the card's screen",
    found: /price is the same/,
    script: whileAdded(hasHeading(en.card.title, esCl.card.title), amount("Valor de la atención", "$1.000")),
  },
  {
    name: "boxes tick themselves",
    found: /ticked by itself/,
    script: `setInterval(() => { const box = document.querySelector("input[type=checkbox]:not(:checked)"); if (box) box.click(); }, 700);`,
  },
  {
    name: "a lost connection empties the fields",
    found: /keeps what was typed/,
    script: onChange(
      `if (/Lo que escribiste sigue aquí|What you wrote is still here/.test(document.body?.textContent)) for (const field of document.querySelectorAll("input")) field.value = "";`,
    ),
  },
  {
    name: "a saved card is shown before its code",
    found: /only after its code/,
    script: whileAdded(`document.querySelector("input[autocomplete=one-time-code]")`, element("p", "Visa ••7763")),
  },
  {
    name: "a step changes the language",
    found: /language changes/,
    script: onChange(
      `if (document.querySelector("select") && document.documentElement.lang === "es-CL") document.documentElement.lang = "en";`,
    ),
  },
];

export const PLANTS: readonly Plant[] = [...OVER_TIME, ...OF_A_MOMENT];
