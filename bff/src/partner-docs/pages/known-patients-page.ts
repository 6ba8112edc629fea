import {
  CODE_LIFETIME_MINUTES,
  CODE_TRIES_MAX,
  CODES_PER_DAY_MAX,
  CONTACT_SETTLES_DAYS,
  IDENTITY_TRUSTED_DAYS,
  RECOGNISED_MINUTES,
} from "../../contract/terms.ts";
import { html } from "../../platform/http/html.ts";
import { callout, type Page, section, table } from "./layout.ts";

/** How a patient who was here before pays with a code and a press, what the clinic sees of it, and how it is turned off. */
export function knownPatientsPage(): Page {
  return {
    path: "/docs/known-patients",
    title: "Known patients",
    lead: "A patient who comes back pays with a code and a press, without their document and their card. You change nothing.",
    body: html`${section("way", "What the patient does", way)}
${section("ends", "When it does not happen", ends)}
${section("clinic", "What you see", clinic)}
${section("off", "On and off", off)}
${section("page", "A checkout page of your own", ownPage)}`,
  };
}

const way = html`<p>Where a card is typed, a box that is not ticked asks whether to keep it for later visits. The card processor keeps it once it has paid; neither you nor we have its number. At a later visit the patient reads the summary, asks for a code, which goes to the telephone of their record, or by mail if it is asked for again, types it, looks at the price and pays. The message names you, the amount now, the total and the saved card. The code is valid for exactly that, has ${CODE_TRIES_MAX} tries and ends after ${CODE_LIFETIME_MINUTES} minutes; what it brings ends after ${RECOGNISED_MINUTES} minutes. Nothing is kept in the browser.</p>
<p>Another saved card needs a code of its own, which the widget requests. Using another card, or saying that one is somebody else, is always there. The patient is told by mail of each saving and of the first use at each other clinic, and removes a card in <i>Mis datos</i>. What the card's issuer asks for is asked as with any card.</p>`;

const ends = html`<p>In each case the patient can go the ordinary way. Every request for a code gets the same answer, so that nobody learns from it who is a patient.</p>
${table(
  "When recognition does not happen, or brings less",
  ["When", "What the patient is asked for"],
  [
    [
      html`the registry matched more than ${IDENTITY_TRUSTED_DAYS} days ago, or calls a document of theirs not valid`,
      "the document; saved cards are offered",
    ],
    ["the card was removed, expires too soon, or its processor keeps it no more", "a card"],
    [html`their e-mail or telephone changed less than ${CONTACT_SETTLES_DAYS} days ago`, "both"],
    [
      "they objected to a change of their e-mail, or a charge was taken back by their bank for good",
      "both, and the saved cards are removed",
    ],
    ["the order names another e-mail than their record; their data is blocked or to be erased", "both"],
    [
      `${CODES_PER_DAY_MAX} codes were sent to them in a day; or they have neither a match that counts nor a saved card`,
      "both",
    ],
  ],
)}`;

const clinic = html`<p>Payments that come faster, and nothing else. An order that a known patient has paid has the same states, events, payouts and reconciliation; <code>readiness</code> turns true as it does otherwise. You are not told who is known, who has a saved card, where it was saved, nor whether a code was sent.</p>
${callout(html`Give us the patient's own e-mail and telephone with the order. An order with the clinic's desk as its e-mail is never recognised, and your staff never needs the code: it is the patient's alone.`)}`;

const off = html`<p>It is off until we set it for you. Write to us to have it turned on or off, or to have the document asked for sooner than after ${IDENTITY_TRUSTED_DAYS} days. Turned off, nobody is recognised at your checkout from that moment; cards that patients have saved stay theirs, at the processor, and in <i>Mis datos</i>.</p>`;

const ownPage = html`<p>The widget does all of it. A page of your own calls <code>POST /orders/{hash}/recognition</code> and <code>/recognition/verify</code> with the <code>client_id</code>, and requests a code for another saved card with <code>stored_card</code>. The code is verified only if the widget's page of the order was shown to the patient, otherwise the answer is 409 <code>page_not_shown</code>. <code>add_payment_method</code> with a saved card that the code is not for is answered 400 <code>stored_card_code_required</code>; <code>/recognition/disown</code> takes both off the order where it was somebody else: see <a href="/docs/reference">the reference</a>. A payment that comes too late after the code, or after the ground of the recognition has ended, is answered 400 <code>processor_customer_identity_not_validated</code>, and the patient goes on with their document.</p>`;
