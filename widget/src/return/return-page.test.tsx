import { act, render, screen } from "@testing-library/react";
import type { ReadReturnResponse } from "bff/contract/redirects";
import { clp } from "bff/contract/vocabulary/clp";
import type { PageReturn } from "bff/contract/widget-page";
import { describe, expect, it, vi } from "vitest";
import type { Answer } from "../api/problem.ts";
import { refusalWith, sessionWith } from "../gallery/recorded-answers.ts";
import { loadWords } from "../words/load-words.ts";
import { WordsProvider } from "../words/words-context.tsx";
import { ReturnPage, type ReturnParts } from "./return-page.tsx";
import { RETURN_WORDS } from "./return-words.ts";
import type { WayBack } from "./way-back.ts";

const PAYMENT: ReadReturnResponse = {
  purpose: "payment",
  status: "paid",
  waits_for: null,
  amount: clp(13_786),
  first_instalment: null,
  can_continue: false,
};
const LEFT: WayBack = { address: "/?widget_token=t#review", widgetToken: "t", isInPlace: true };
const OFFLINE: Answer<never> = { ok: false, problem: { kind: "no_answer", fault: "offline", traceId: null } };

interface Around {
  readonly answers: readonly Answer<ReadReturnResponse>[];
  readonly wayBack?: WayBack;
  readonly returned?: Partial<PageReturn>;
}

const answered = (changes: Partial<ReadReturnResponse>): Answer<ReadReturnResponse> => ({
  ok: true,
  value: { ...PAYMENT, ...changes },
});

/**
 * The return page with a service that returns `answers` in order, and a checkout that announces itself on
 * `checkoutSpeaks`.
 */
async function open({ answers, wayBack, returned }: Around) {
  const left = [...answers];
  const waits: (() => void)[] = [];
  let checkoutSpeaks = (): void => undefined;
  const read = vi.fn<ReturnParts["read"]>(async () => (left.length > 1 ? left.shift() : left[0]) ?? OFFLINE);
  const goTo = vi.fn<(address: string) => void>();
  const close = vi.fn<() => void>();
  const parts: ReturnParts = {
    read,
    wait: () => new Promise((resolve) => void waits.push(resolve)),
    around: {
      wayBack: () => wayBack ?? null,
      notifyCheckout: (onNotified) => {
        checkoutSpeaks = onNotified;
        return () => undefined;
      },
      close,
      goTo,
    },
  };
  render(
    <WordsProvider value={await loadWords("es-CL")}>
      <ReturnPage
        returned={{
          reference: "r",
          locale: "es-CL",
          provider: sessionWith().provider,
          return_url: null,
          parent_origins: [],
          ...returned,
        }}
        framed={false}
        parts={parts}
      />
    </WordsProvider>,
  );
  await act(async () => undefined);
  return {
    read,
    goTo,
    close,
    passTime: () =>
      act(async () => {
        for (const end of waits.splice(0)) end();
      }),
    checkoutSpeaks: () => act(async () => checkoutSpeaks()),
  };
}

const title = () => screen.getByRole("heading", { level: 1 }).textContent;

describe("return page", () => {
  it("closes itself for an open checkout, and names the other tab if it cannot close", async () => {
    const page = await open({ answers: [answered({})] });
    expect(title()).toBe("Estamos viendo cómo quedó");
    await page.checkoutSpeaks();
    expect(page.close).toHaveBeenCalledOnce();
    expect(title()).toBe("¡Listo! Tu pago está hecho");
    expect(screen.getByText("Sigue en la pestaña donde empezaste. Puedes cerrar esta página.")).toBeTruthy();
  });

  it("stays open when the checkout announces itself late", async () => {
    const page = await open({ answers: [answered({})] });
    await page.passTime();
    await page.checkoutSpeaks();
    expect(page.close).not.toHaveBeenCalled();
    expect(screen.getByText(/Sigue en la pestaña donde empezaste/)).toBeTruthy();
  });

  it("resumes the checkout that it replaced, with the token of this window", async () => {
    const page = await open({ answers: [answered({ can_continue: true })], wayBack: LEFT });
    expect(page.read).toHaveBeenCalledWith("r", { widget_token: "t" });
    expect(page.goTo).toHaveBeenCalledWith(LEFT.address);
  });

  it("resumes a checkout that was closed meanwhile, once no open one has answered", async () => {
    const page = await open({ answers: [answered({ can_continue: true })], wayBack: { ...LEFT, isInPlace: false } });
    expect(page.goTo).not.toHaveBeenCalled();
    await page.passTime();
    expect(page.goTo).toHaveBeenCalledWith(LEFT.address);
  });

  it("shows the payment's state when the checkout's token has expired", async () => {
    const page = await open({ answers: [answered({})], wayBack: LEFT });
    expect(page.goTo).not.toHaveBeenCalled();
    expect(title()).toBe("¡Listo! Tu pago está hecho");
    expect(screen.getByText(/Pagaste \$13\.786 a/)).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("polls until the outcome is known, and shows whose answer is pending", async () => {
    const waiting = (waits_for: "patient" | "bank" | "lender") =>
      answered({ status: "processing", amount: null, waits_for });
    const page = await open({
      answers: [waiting("patient"), OFFLINE, waiting("lender"), waiting("bank"), answered({})],
    });
    await page.passTime();
    expect(title()).toBe("Tu banco todavía no nos confirma");
    expect(screen.getByText(/No pagues de nuevo/)).toBeTruthy();
    await page.passTime();
    expect(title()).toBe("Falta la respuesta del crédito");
    await page.passTime();
    expect(title()).toBe("Tu banco está confirmando el pago");
    await page.passTime();
    expect(title()).toBe("¡Listo! Tu pago está hecho");
    await page.passTime();
    expect(page.read).toHaveBeenCalledTimes(5);
  });

  it("offers a button back to the page of a link on which something is left to do", async () => {
    const answers = [answered({ purpose: "card_change", status: "declined", amount: null, can_continue: true })];
    const page = await open({ answers, wayBack: LEFT });
    expect(title()).toBe("No cambiamos tu tarjeta");
    expect(page.goTo).not.toHaveBeenCalled();
    await act(async () => screen.getByRole("button", { name: "Volver a cambiar mi tarjeta" }).click());
    expect(page.goTo).toHaveBeenCalledWith(LEFT.address);
  });

  it("links to the clinic's registered return page once the outcome is known", async () => {
    const returned = { return_url: "https://clinica.example/listo" };
    const page = await open({
      answers: [answered({ status: "processing", waits_for: "bank" }), answered({})],
      returned,
    });
    await page.passTime();
    const button = () => screen.queryByRole("button", { name: /^Volver a/ });
    if (button() === null) await page.passTime();
    await act(async () => button()?.click());
    expect(page.goTo).toHaveBeenCalledWith("https://clinica.example/listo");
  });

  const UNKNOWN = "Esta página ya no muestra cómo quedó";
  it.each([
    ["an unknown address", { answers: [answered({})], returned: { reference: null, provider: null } }],
    ["an expired address", { answers: [{ ok: false, problem: refusalWith("not_found", 404) }] as const }],
  ])("shows where to look and no invitation to pay for %s", async (_what, around) => {
    const page = await open(around);
    await page.passTime();
    expect(title()).toBe(UNKNOWN);
    expect(screen.getByText(/no pagues de nuevo sin preguntar/)).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
    expect(document.body.textContent).not.toMatch(/vuelve a abrir|abre de nuevo/i);
  });

  it("keeps polling without a network, and says that the payment may have succeeded", async () => {
    const page = await open({ answers: [OFFLINE, OFFLINE, answered({})] });
    await page.passTime();
    expect(title()).toBe("Todavía no podemos ver cómo quedó");
    await page.passTime();
    await page.passTime();
    expect(title()).toBe("¡Listo! Tu pago está hecho");
  });
});

it.each(["es-CL", "en"] as const)(
  "a payment or card change in progress does not say in %s that nothing is charged",
  (locale) => {
    const { processing } = RETURN_WORDS[locale];
    for (const purpose of ["payment", "card_change", "pay_early"] as const) {
      for (const { text } of Object.values(processing[purpose]))
        expect(text).not.toMatch(/no se cobra nada|nothing is charged/i);
    }
  },
);
