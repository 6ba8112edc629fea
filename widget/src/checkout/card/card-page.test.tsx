import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { sayFromBank, URL_OF_BANK } from "../../../test/bank-page.ts";
import { createFakeService } from "../../../test/fake-service.ts";
import { openCheckout } from "../../../test/open-checkout.tsx";
import { orderWith, VISA } from "../../gallery/recorded-answers.ts";

/* A card entered on the card processor's page. Only the service knows the outcome. */

const heading = (name: string) => screen.findByRole("heading", { level: 1, name });
const alert = () => screen.findByRole("alert");

async function patientAtCardPage(
  before?: (service: ReturnType<typeof createFakeService>) => void,
  options: Parameters<typeof openCheckout>[1] = {},
  session: Parameters<typeof createFakeService>[0] = {},
) {
  const { insurer_access } = createFakeService().session().sealing_keys;
  const service = createFakeService({
    event_type: "SPOT_USER_SUBSCRIBED",
    order: orderWith({ readiness: { identity_validated: true, payment_method_added: false } }),
    sealing_keys: { card: null, insurer_access },
    card_entry: "page",
    ...session,
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

it("the card step opens the processor's page with one press, without fields, and inquires when it ends", async () => {
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

it("a card page that needs its own window opens in one at the patient's press, without a frame", async () => {
  const { service, patient } = await patientAtCardPage(undefined, { wait: () => new Promise(() => undefined) });
  service.answer("cardPage", { ...open(), page: { ...page, display: "window" } });
  await patient.press("Inscribir mi tarjeta");
  const dialog = await screen.findByRole("dialog");
  expect(dialog.querySelector("iframe")).toBeNull();
  expect(window.open).not.toHaveBeenCalled();
  const link = within(dialog).getByRole("link", { name: "Ábrela en otra pestaña" });
  expect(link.getAttribute("href")).toBe(URL_OF_BANK);
  fireEvent.click(link);
  expect(window.open).toHaveBeenCalledWith(URL_OF_BANK, "_blank");
});

/** The tab that the press opens, as the browser gives it. */
function openedTab() {
  const tab = {
    closed: false,
    opener: window,
    document: document.implementation.createHTMLDocument(),
    location: { replace: vi.fn<(url: string) => void>(), origin: "null", pathname: "blank" },
    close: vi.fn<() => void>(),
    postMessage: vi.fn<() => void>(),
  };
  vi.mocked(window.open).mockReturnValue(tab as unknown as Window);
  return tab;
}

const inWindow = { card_page_display: "window" as const };
const openWindow = () => ({ ...open(), page: { ...page, display: "window" } });

describe("a card page for its own window", () => {
  it("is opened by the press that asks for it, and filled when its address is known", async () => {
    const { service, patient } = await patientAtCardPage(undefined, {}, inWindow);
    const tab = openedTab();
    service.answer("cardPage", openWindow(), added(service));
    await patient.press("Inscribir mi tarjeta");
    expect(window.open).toHaveBeenCalledExactlyOnceWith("", "_blank");
    expect(tab.document.body.textContent).toContain("Estamos preparando la página");
    await heading("Revisa y paga");
    expect(tab.location.replace).toHaveBeenCalledExactlyOnceWith(URL_OF_BANK);
    expect([tab.opener, tab.close.mock.calls]).toEqual([null, []]);
  });

  it("is closed again if the service opens none", async () => {
    const { service, patient } = await patientAtCardPage(undefined, {}, inWindow);
    const tab = openedTab();
    service.fail("cardPage", { lost: "answer" });
    await patient.press("Inscribir mi tarjeta");
    expect((await alert()).textContent).toContain("No pudimos conectarnos");
    expect([tab.close.mock.calls.length, tab.location.replace.mock.calls]).toEqual([1, []]);
  });

  it("is behind a link if the browser has blocked its window", async () => {
    const { service, patient } = await patientAtCardPage(undefined, {}, inWindow);
    vi.mocked(window.open).mockReturnValue(null);
    service.answer("cardPage", openWindow());
    await patient.press("Inscribir mi tarjeta");
    const dialog = await screen.findByRole("dialog");
    within(dialog).getByRole("link", { name: "Ábrela en otra pestaña" });
  });
});

it("a card page that reported its end but is still open is polled and can be reopened", async () => {
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

it("after a lost answer, the card step says so and opens the same card page on the next press", async () => {
  const { service, patient } = await patientAtCardPage();
  service.fail("cardPage", { lost: "answer" });
  await patient.press("Inscribir mi tarjeta");
  expect((await alert()).textContent).toContain("No pudimos conectarnos");
  service.answer("cardPage", open());
  await patient.press("Inscribir mi tarjeta");
  await screen.findByRole("dialog");
});

it("a card page is shown as soon as it is ready", async () => {
  const { service, patient } = await patientAtCardPage();
  service.answer("cardPage", processing(), processing(), open());
  await patient.press("Inscribir mi tarjeta");
  await screen.findByRole("dialog");
});

it("after a reload, the checkout continues with a card given meanwhile", async () => {
  const order = orderWith({
    readiness: { identity_validated: true, payment_method_added: true },
    payment_method: VISA,
  });
  await patientAtCardPage((service) => service.answer("cardPage", { status: "added", payment_method: VISA, order }));
  await heading("Revisa y paga");
});

it("after a reload, the card step shows why the processor's page declined the card", async () => {
  await patientAtCardPage((service) =>
    service.fail("cardPage", { code: "card_declined", additions: { decline_reason: "card_expired" } }),
  );
  await alert();
});

it("the card step says that the card page was left or declined, and that nothing was charged", async () => {
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

it("a sealed card that needs a confirmation opens the processor's page", async () => {
  const { service } = await sealedCardThatNeedsThePage((there) => there.answer("cardPage", open()));
  await screen.findByRole("dialog");
  service.answer("cardPage", added(service));
  sayFromBank("aapd:challenge-ended");
  await heading("Revisa y paga");
});

it("the card step shows an error when the page for a sealed card is unavailable", async () => {
  const { service, patient } = await sealedCardThatNeedsThePage((there) => there.fail("cardPage", { lost: "answer" }));
  expect((await alert()).textContent).toContain("No pudimos conectarnos");
  service.fail("card", { code: "card_page_needed" });
  // No page is open any more.
  await patient.press("Continuar");
  await waitFor(async () => expect((await alert()).textContent).toContain("Confirma tu tarjeta"));
});

it.each([
  ["is on its way", processing, null, "Estamos preparando la página"],
  ["is left", open, "Salir sin inscribir", "No terminaste de inscribir tu tarjeta"],
] as const)(
  "next to the card fields, the card step shows that the card page %s",
  async (_how, answer, pressed, notice) => {
    const { patient } = await sealedCardThatNeedsThePage((there) => there.answer("cardPage", answer(), answer()));
    if (pressed !== null) await patient.press(pressed);
    await screen.findByText(notice);
  },
);
