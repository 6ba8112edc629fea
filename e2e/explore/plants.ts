/** A bug that a checkout could have, as a script in its document. The product knows nothing of them. */
export interface Plant {
  readonly name: string;
  /** What the explorer must say of it. */
  readonly found: RegExp;
  readonly script: string;
}

/** Does something whenever the document has changed. */
const onChange = (statement: string) =>
  `new MutationObserver(() => { ${statement} }).observe(document, { childList: true, subtree: true, characterData: true });`;

export const PLANTS: readonly Plant[] = [
  {
    name: "the focus is lost when a screen comes",
    found: /focus/,
    script: `addEventListener("focusin", ({ target }) => { if (target.tagName === "H1") target.blur(); });`,
  },
  {
    name: "a press writes an error to the console",
    found: /console/,
    script: `addEventListener("click", ({ target }) => { if (target.closest("button")) console.error("planted"); });`,
  },
  {
    name: "typing leaves a promise that nobody hears of",
    found: /console/,
    script: `addEventListener("input", () => { void Promise.reject(new Error("planted")); });`,
  },
  {
    name: "what is typed is told to the page around",
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
      `for (const button of document.querySelectorAll("button")) if (button.textContent === "Volver") button.textContent = "";`,
    ),
  },
  {
    name: "an id stands twice",
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
    name: "the page's title stays behind",
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
      `const title = document.querySelector("h1"); if (title && title.textContent === "Tus datos y tu isapre") document.title = title.textContent = "¡Listo! Tu pago está hecho";`,
    ),
  },
];
