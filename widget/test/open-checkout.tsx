import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { localeOf, type PageContent } from "bff/contract/widget-page";
import { EXPIRY_WARNING_MS } from "../src/api/answers.ts";
import { createCheckoutApi } from "../src/api/checkout-api.ts";
import type { Transport } from "../src/api/request.ts";
import { seal } from "../src/api/seal.ts";
import { createSelfServiceApi } from "../src/api/self-service-api.ts";
import { App } from "../src/app.tsx";
import type { VisitParts } from "../src/checkout/checkout-visit.tsx";
import { createSessionClock } from "../src/checkout/session-clock.ts";
import type { StepParts } from "../src/checkout/step-context.ts";
import { createSteps } from "../src/checkout/step-screens.tsx";
import { NO_HISTORY } from "../src/gallery/gallery-parts.ts";
import { ProblemPage } from "../src/problem-page.tsx";
import type { SelfServiceParts } from "../src/self-service/link-page.ts";
import { SelfServicePage } from "../src/self-service/self-service-page.tsx";
import { loadWords } from "../src/words/load-words.ts";
import type { FakeService } from "./fake-service.ts";

export interface OpenOptions {
  readonly state?: PageContent;
  readonly parts?: Partial<VisitParts>;
  readonly isOnline?: () => boolean;
  /** Reopens the page with a fresh token. */
  readonly onToken?: (token: string) => void;
  /** The pause between two inquiries about a payment; 0 by default. */
  readonly wait?: StepParts["wait"];
}

type Surroundings = Pick<OpenOptions, "isOnline" | "wait">;

const TOKEN = "0b7a4f0e-1111-4222-8333-444455556666";

let madeKeys = 0;

function selfServicePartsFor(service: FakeService, around: Surroundings): SelfServiceParts {
  const api = createSelfServiceApi(transportTo(service, around));
  return { ...stepPartsFor(service, around), shown: { begin: () => undefined }, api };
}

function transportTo({ fetch }: FakeService, { isOnline = () => true }: Surroundings): Transport {
  return { fetch, isOnline, reported: () => Promise.resolve(), timeoutMs: 5_000 };
}

function stepPartsFor(service: FakeService, around: Surroundings): StepParts {
  const api = createCheckoutApi(transportTo(service, around));
  const newKey = () => {
    madeKeys += 1;
    return `key-${madeKeys}`;
  };
  const clock = createSessionClock(service.session().server_time, [() => 0]);
  const { wait = () => Promise.resolve() } = around;
  return { api, clock, wait, newKey, seal };
}

/** The parts of a visit with a fake service: real code except for the network, the clock and the waiting. */
export function partsFor(service: FakeService, around: Surroundings = {}): VisitParts {
  const stepParts = stepPartsFor(service, around);
  return {
    clock: stepParts.clock,
    seen: null,
    shown: { begin: () => undefined },
    connect: () => ({ framed: false, isHeard: false, send: () => undefined, close: () => undefined }),
    readSession: stepParts.api.readSession,
    readOrder: stepParts.api.readOrder,
    makeFile: stepParts.api.makeFile,
    loadSteps: async (visit) => createSteps(stepParts, visit),
    reopen: () => Promise.reject(new TypeError("no page to be had")),
    loadWarningMs: async () => EXPIRY_WARNING_MS,
    history: NO_HISTORY,
    keepLocale: (locale) => stepParts.api.reportShown(service.session().public_key, { widget_token: TOKEN, locale }),
    keepToken: () => undefined,
  };
}

/** Opens the checkout on a page as the widget host would write it. */
export async function openCheckout(service: FakeService, options: OpenOptions = {}) {
  const state = options.state ?? { session: service.session() };
  const locale = localeOf(state);
  const user = userEvent.setup();
  const view = render(
    <App
      state={{ ...state, framed: false, unseen: false }}
      token={TOKEN}
      parts={{ ...partsFor(service, options), ...options.parts }}
      ProblemPage={ProblemPage}
      returning={null}
      selfService={{ Page: SelfServicePage, parts: selfServicePartsFor(service, options) }}
      words={await loadWords(locale)}
      loadWords={loadWords}
      page={{ reload: () => undefined, openToken: options.onToken ?? (() => undefined) }}
    />,
  );
  return { user, view, patient: patientAt(user) };
}

export type Patient = ReturnType<typeof patientAt>;

/** The patient's actions on each screen, by role and label. */
function patientAt(user: ReturnType<typeof userEvent.setup>) {
  async function tickAll(): Promise<void> {
    for (const box of screen.queryAllByRole("checkbox")) {
      if (box.getAttribute("aria-required") === "true") await user.click(box);
    }
  }
  const press = async (name: string | RegExp): Promise<void> => user.click(await screen.findByRole("button", { name }));
  const fill = async (label: string, text: string): Promise<void> => {
    const field = await screen.findByLabelText(label, { exact: false, selector: "input" });
    await user.clear(field);
    await user.type(field, text);
  };
  const openFold = async (title: string): Promise<void> =>
    user.click(await screen.findByText(title, { selector: "summary" }));
  const chooseInsurer = async (): Promise<void> =>
    user.selectOptions(await screen.findByLabelText("Tu isapre"), "colmena");
  return {
    tickAll,
    press,
    fill,
    chooseInsurer,
    openFold,
    acceptSummary: async () => {
      await screen.findByRole("heading", { level: 1, name: "Atiéndete ahora, paga después" });
      await press("Continuar");
    },
    /** Signs up, with the document number if it is required. */
    register: async (access?: string, serial = "123.456.789") => {
      await screen.findByRole("heading", { level: 1, name: "Tus datos" });
      await chooseInsurer();
      if (screen.queryByLabelText("Número de documento", { exact: false }) !== null)
        await fill("Número de documento", serial);
      if (access !== undefined) {
        await openFold("Agregar la clave de tu isapre");
        await fill("Clave de tu isapre", access);
      }
      await tickAll();
      await press("Continuar");
    },
    answerCode: async (code = "123456") => {
      await screen.findByRole("heading", { level: 1, name: "Escribe el código" });
      await fill("Código de 6 dígitos", code);
      await press("Confirmar");
    },
    /** Touches the field of a known patient's code, which requests one. */
    requestRecognition: async () => user.click(await screen.findByLabelText("Código de 6 dígitos")),
    answerRecognition: async (code = "123456") => fill("Código de 6 dígitos", code),
    proveIdentity: async (serial = "123.456.789") => {
      await screen.findByRole("heading", { level: 1, name: "Confirma tu identidad" });
      await fill("Número de documento", serial);
      await press("Confirmar identidad");
    },
    chooseCard: async (name: RegExp) => {
      await user.click(await screen.findByRole("radio", { name }));
      await press("Continuar");
    },
    addCard: async (number = "4051885600446623") => {
      await screen.findByRole("heading", { level: 1, name: /^(Tu|Usa otra) tarjeta$/ });
      const other = screen.queryByRole("radio", { name: "Otra tarjeta" });
      if (other !== null) await user.click(other);
      await fill("Número de tarjeta", number);
      await fill("Vencimiento", "12/34");
      await fill("Código CVV", "123");
      await fill("Nombre en la tarjeta", "CAMILA ROJAS");
      await press(/^(Continuar|Usar otra tarjeta)$/);
    },
    pay: async () => {
      await screen.findByRole("heading", { level: 1, name: "Revisa y paga" });
      await screen.findByRole("button", { name: /^Pagar/ });
      await tickAll();
      await press(/^Pagar/);
    },
    isDone: () => screen.findByRole("heading", { level: 1, name: "¡Listo! Tu pago está hecho" }),
  };
}
