import { html, prose } from "../html.ts";
import { callout, type Page, section, table } from "./layout.ts";
import { operationsOf, referencePath, type Site } from "./site.ts";

/** The sandbox's test values and what each of them causes. */
export function sandboxPage(site: Site): Page {
  return {
    path: "/docs/sandbox",
    title: "Test values",
    lead: "In staging no money moves, and these values decide what happens. Whatever is not here succeeds.",
    body:
      site.testValues === null ? callout("This is production: there is no sandbox here. Use staging.") : values(site),
  };
}

function values({ testValues, document }: Site) {
  const { cards, serials, people, addresses } = testValues ?? { cards: [], serials: [], people: [], addresses: [] };
  const sandboxCalls = operationsOf(document).filter(({ path }) => path.startsWith("/sandbox"));
  return html`${section(
    "cards",
    "Cards",
    html`<p>With any expiry in the future, any security code and any holder's name.</p>${table(
      "Cards",
      ["Number", "Card", "Causes"],
      cards.map(({ number, brand, kind, causes }) => [
        html`<code>${grouped(number)}</code>`,
        `${brand}, ${kind}`,
        prose(causes),
      ]),
    )}`,
  )}${section(
    "people",
    "People",
    html`<p>RUTs of nobody. They decide about the credit and about the insurer's answer.</p>${table(
      "RUTs",
      ["RUT", "Causes"],
      people.map(({ rut, causes }) => [html`<code>${rut}</code>`, prose(causes)]),
    )}`,
  )}${section(
    "serials",
    "Identity cards",
    html`<p>Any other nine digits match every RUT.</p>${table(
      "Serials",
      ["Serial", "Causes"],
      serials.map(({ serial, causes }) => [html`<code>${serial}</code>`, prose(causes)]),
    )}`,
  )}${section(
    "addresses",
    "E-mail addresses",
    table(
      "Addresses",
      ["E-mail", "Causes"],
      addresses.map(({ email, causes }) => [html`<code>${email}</code>`, prose(causes)]),
    ),
  )}${
    sandboxCalls.length > 0 &&
    section(
      "control",
      "Moving time, and more",
      html`<ul class="codes">${sandboxCalls.map(
        (called) =>
          html`<li><a href="${referencePath(called)}"><code>${called.method} ${called.path}</code></a> ${prose(called.operation.summary)}</li>`,
      )}</ul>`,
    )
  }`;
}

/** `4051885600446623` → `4051 8856 0044 6623`; pasted with or without the spaces, it is the same card. */
function grouped(number: string): string {
  return number.replaceAll(/(\d{4})(?=\d)/g, "$1 ");
}
