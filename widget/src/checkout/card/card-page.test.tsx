import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { sayFromBank, URL_OF_BANK } from "../../../test/bank-page.ts";
import { createFakeService } from "../../../test/fake-service.ts";
import { openCheckout } from "../../../test/open-checkout.tsx";
import { orderWith, VISA } from "../../gallery/recorded-answers.ts";

/* A card that is given on the card processor's own page: what became of it is the service's word, and nobody else's. */

const heading = (name: string) => screen.findByRole("heading", { level: 1, name });
const alert = () => screen.findByRole("alert");

async function patientAtCardPage(
  before?: (service: ReturnType<typeof createFakeService>) => void,
  options: Parameters<typeof openCheckout>[1] = {},
) {
  const { insurer_access } = createFakeService().session().sealing_keys;
  const service = createFakeService({
    event_type: "SPOT_USER_SUBSCRIBED",
    order: orderWith({ readiness: { identity_validated: true, payment_method_added: false } }),
    sealing_keys: { card: null, insurer_access },
    card_entry: "page",
  });
  before?.(service);
  const opened = await openCheckout(service, options);
  await heading("Tu tarjeta");
  await waitFor(() => expect(service.callsTo("cardPage").length).toBeGreaterThan(0));
  return { service, ...opened };
}

const page = { url: URL_OF_BANK, expires_at: "2026-11-21T15:30:00.000Z" };
const open = () => ({ status: "open", page, payment_method: null, order: orderWith() });
const processing = () => ({ status: "processing", payment_method: null, order: orderWith() });
const added = (service: ReturnType<typeof createFakeService>) => ({
  status: "added",
  payment_method: VISA,
  order: service.change({
    readiness: { identity_validated: true, payment_method_added: true },
    payment_method: VISA,
  }),
});

it("shows no field, asks for no key, and one press opens the page; its word that it ended is asked about", async () => {
  const { service, patient } = await patientAtCardPage();
  expect(screen.queryByLabelText("Número de tarjeta")).toBeNull();
  expect(service.callsTo("session")).toHaveLength(0);
  service.answer("cardPage", open());
  await patient.press("Inscribir mi tarjeta");
  await screen.findByRole("dialog");
  service.answer("cardPage", added(service));
  sayFromBank("aapd:challenge-ended");
  await heading("Revisa y paga");
  expect(service.callsTo("cardPage").map(({ body }) => body)).toEqual([{ inquire: true }, {}, { inquire: true }]);
});

it("a page that said it had ended and is open still can be opened again, and is asked about meanwhile", async () => {
  const { service, patient } = await patientAtCardPage(undefined, { wait: () => new Promise(() => undefined) });
  service.answer("cardPage", open());
  await patient.press("Inscribir mi tarjeta");
  await screen.findByRole("dialog");
  service.answer("cardPage", open(), open(), open());
  sayFromBank("aapd:challenge-ended");
  await screen.findByText("No terminaste de inscribir tu tarjeta");
  expect(screen.queryByRole("dialog")).toBeNull();
  await patient.press("Inscribir mi tarjeta");
  await screen.findByRole("dialog");
});

it("a lost answer leaves nothing undone: the press is told so, and pressed again it is the page that was opened", async () => {
  const { service, patient } = await patientAtCardPage();
  service.fail("cardPage", { lost: "answer" });
  await patient.press("Inscribir mi tarjeta");
  expect((await alert()).textContent).toContain("No pudimos conectarnos");
  service.answer("cardPage", open());
  await patient.press("Inscribir mi tarjeta");
  await screen.findByRole("dialog");
});

it("a page that is not there yet is shown as soon as it is", async () => {
  const { service, patient } = await patientAtCardPage();
  service.answer("cardPage", processing(), processing(), open());
  await patient.press("Inscribir mi tarjeta");
  await screen.findByRole("dialog");
});

it("after a reload a card that was given meanwhile goes on", async () => {
  const order = orderWith({
    readiness: { identity_validated: true, payment_method_added: true },
    payment_method: VISA,
  });
  await patientAtCardPage((service) => service.answer("cardPage", { status: "added", payment_method: VISA, order }));
  await heading("Revisa y paga");
});

it("after a reload a card that was declined there says why", async () => {
  await patientAtCardPage((service) =>
    service.fail("cardPage", { code: "card_declined", additions: { decline_reason: "card_expired" } }),
  );
  await alert();
});

it("what was left or declined on the page is said, and nothing was charged", async () => {
  const { service, patient } = await patientAtCardPage();
  service.answer("cardPage", open());
  await patient.press("Inscribir mi tarjeta");
  await screen.findByRole("dialog");
  service.fail("cardPage", { code: "card_page_abandoned" });
  sayFromBank("aapd:challenge-ended");
  expect((await alert()).textContent).toContain("No se cobró nada");
  expect(screen.queryByRole("dialog")).toBeNull();
});

async function sealedCardThatNeedsThePage(before: (service: ReturnType<typeof createFakeService>) => void) {
  const service = createFakeService({
    event_type: "SPOT_USER_SUBSCRIBED",
    order: orderWith({ readiness: { identity_validated: true, payment_method_added: false } }),
  });
  const opened = await openCheckout(service, { wait: () => new Promise(() => undefined) });
  service.fail("card", { code: "card_page_needed" });
  before(service);
  await opened.patient.addCard();
  return { service, ...opened };
}

it("a sealed card that the processor wants confirmed opens its page", async () => {
  const { service } = await sealedCardThatNeedsThePage((there) => there.answer("cardPage", open()));
  await screen.findByRole("dialog");
  service.answer("cardPage", added(service));
  sayFromBank("aapd:challenge-ended");
  await heading("Revisa y paga");
});

it("where that page is not to be had, the patient of a sealed card is told", async () => {
  const { service, patient } = await sealedCardThatNeedsThePage((there) => there.fail("cardPage", { lost: "answer" }));
  expect((await alert()).textContent).toContain("No pudimos conectarnos");
  service.fail("card", { code: "card_page_needed" });
  // None is open any more.
  await patient.press("Continuar");
  await waitFor(async () => expect((await alert()).textContent).toContain("Confirma tu tarjeta"));
});

it.each([
  ["is on its way", processing, null, "Estamos preparando la página"],
  ["is left", open, "Salir sin inscribir", "No terminaste de inscribir tu tarjeta"],
] as const)("beside the fields of a card too it is said that its page %s", async (_how, told, pressed, said) => {
  const { patient } = await sealedCardThatNeedsThePage((there) => there.answer("cardPage", told(), told()));
  if (pressed !== null) await patient.press(pressed);
  await screen.findByText(said);
});
