import { type Content, type Html, html } from "../../platform/http/html.ts";
import { prose } from "../prose.ts";
import { callout, type Page, section, table } from "./layout.ts";
import { type CalledOperation, operationsOf, referencePath, type Site, type TestValues } from "./site.ts";

/** The sandbox's test values and what each of them causes. */
export function sandboxPage(site: Site): Page {
  return {
    path: "/docs/sandbox",
    title: "Test values",
    lead: "In staging no money moves, and these values decide what happens. Whatever is not here succeeds.",
    body: html`${
      site.testValues === null
        ? callout("This is production: there is no sandbox here. Use staging.")
        : values(site, site.testValues)
    }`,
  };
}

function values(site: Site, given: TestValues): Content {
  const { cards, serials, people, addresses, phoneNumbers, bankAccounts } = given;
  return [
    part("cards", "Cards", "With any expiry from two months ahead, any security code and any holder's name.", {
      columns: ["Number", "Card", "Causes"],
      rows: cards.map((card) => [code(grouped(card.number)), `${card.brand}, ${card.kind}`, prose(card.causes)]),
    }),
    part("people", "People", "RUTs of nobody. They decide about the credit and about the insurer's answer.", {
      columns: ["RUT", "Causes"],
      rows: people.map(({ rut, causes }) => [code(rut), prose(causes)]),
    }),
    part("serials", "Identity cards", "Any other nine digits match every RUT.", {
      columns: ["Serial", "Causes"],
      rows: serials.map(({ serial, causes }) => [code(serial), prose(causes)]),
    }),
    section(
      "isapre",
      "Password of the isapre",
      html`<p>Any text is taken, of any isapre. Left empty, the patient pays all the same and no claim is filed: the order says <code>missing_step: "insurer_access"</code>, and its claim <code>access_missing</code>.</p>`,
    ),
    part("addresses", "E-mail addresses", "Any other address gets its mail.", {
      columns: ["E-mail", "Causes"],
      rows: addresses.map(({ email, causes }) => [code(email), prose(causes)]),
    }),
    part("phone-numbers", "Telephone numbers", "Any other mobile number gets its messages.", {
      columns: ["Number", "Causes"],
      rows: phoneNumbers.map(({ number, causes }) => [code(number), prose(causes)]),
    }),
    part("bank-accounts", "Bank accounts", "Of whom payouts go to. Transfers to any other arrive.", {
      columns: ["Number", "Causes"],
      rows: bankAccounts.map(({ number, causes }) => [code(number), prose(causes)]),
    }),
    control(site),
  ];
}

function part(
  id: string,
  title: string,
  words: string,
  { columns, rows }: { columns: readonly string[]; rows: readonly (readonly Content[])[] },
): Html {
  return section(id, title, html`<p>${words}</p>${table(title, columns, rows)}`);
}

function code(text: string): Html {
  return html`<code>${text}</code>`;
}

function control({ document }: Site): Html {
  const calls = operationsOf(document).filter(({ path }) => path.startsWith("/sandbox"));
  const entry = (called: CalledOperation) =>
    html`<li><a href="${referencePath(called)}"><code>${called.method} ${called.path}</code></a> ${prose(called.operation.summary)}</li>`;
  return section("control", "Moving time, and more", html`<ul class="codes">${calls.map(entry)}</ul>`);
}

/** `4051885600446623` → `4051 8856 0044 6623`; a card number may be pasted with or without the spaces. */
function grouped(number: string): string {
  return number.replaceAll(/(\d{4})(?=\d)/g, "$1 ");
}
