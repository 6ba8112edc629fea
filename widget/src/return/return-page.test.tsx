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

const told = (changes: Partial<ReadReturnResponse>): Answer<ReadReturnResponse> => ({
  ok: true,
  value: { ...PAYMENT, ...changes },
});

/**
 * The return page with a service that answers one after the other, and a checkout that says that it waits when told to.
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
      tellCheckout: (onTold) => {
        checkoutSpeaks = onTold;
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

describe("the return page", () => {
  it("leaves the word to an open checkout: it tells it, closes itself, and says so where it cannot", async () => {
    const page = await open({ answers: [told({})] });
    expect(title()).toBe("Estamos viendo cómo quedó");
    await page.checkoutSpeaks();
    expect(page.close).toHaveBeenCalledOnce();
    expect(title()).toBe("¡Listo! Tu pago está hecho");
    expect(screen.getByText("Sigue en la pestaña donde empezaste. Puedes cerrar esta página.")).toBeTruthy();
  });

  it("stays open under the patient's eyes when the checkout speaks late", async () => {
    const page = await open({ answers: [told({})] });
    await page.passTime();
    await page.checkoutSpeaks();
    expect(page.close).not.toHaveBeenCalled();
    expect(screen.getByText(/Sigue en la pestaña donde empezaste/)).toBeTruthy();
  });

  it("takes the patient back to the checkout whose place it took, with the token that this window has", async () => {
    const page = await open({ answers: [told({ can_continue: true })], wayBack: LEFT });
    expect(page.read).toHaveBeenCalledWith("r", { widget_token: "t" });
    expect(page.goTo).toHaveBeenCalledWith(LEFT.address);
  });

  it("takes the place of a checkout that was closed meanwhile, once it is clear that none is open", async () => {
    const page = await open({ answers: [told({ can_continue: true })], wayBack: { ...LEFT, isInPlace: false } });
    expect(page.goTo).not.toHaveBeenCalled();
    await page.passTime();
    expect(page.goTo).toHaveBeenCalledWith(LEFT.address);
  });

  it("says how things stand where the checkout's token has ended", async () => {
    const page = await open({ answers: [told({})], wayBack: LEFT });
    expect(page.goTo).not.toHaveBeenCalled();
    expect(title()).toBe("¡Listo! Tu pago está hecho");
    expect(screen.getByText(/Pagaste \$13\.786 a/)).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("waits with the patient, says for whom, and asks again until it is known", async () => {
    const waiting = (waits_for: "patient" | "bank" | "lender") =>
      told({ status: "processing", amount: null, waits_for });
    const page = await open({ answers: [waiting("patient"), OFFLINE, waiting("lender"), waiting("bank"), told({})] });
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

  it("leads back by a button, and not by itself, to the page of a link that has something left to do", async () => {
    const answers = [told({ purpose: "card_change", status: "declined", amount: null, can_continue: true })];
    const page = await open({ answers, wayBack: LEFT });
    expect(title()).toBe("No cambiamos tu tarjeta");
    expect(page.goTo).not.toHaveBeenCalled();
    await act(async () => screen.getByRole("button", { name: "Volver a cambiar mi tarjeta" }).click());
    expect(page.goTo).toHaveBeenCalledWith(LEFT.address);
  });

  it("offers the clinic's own page where it has registered one, and only once all is known", async () => {
    const returned = { return_url: "https://clinica.example/listo" };
    const page = await open({ answers: [told({ status: "processing", waits_for: "bank" }), told({})], returned });
    await page.passTime();
    const button = () => screen.queryByRole("button", { name: /^Volver a/ });
    if (button() === null) await page.passTime();
    await act(async () => button()?.click());
    expect(page.goTo).toHaveBeenCalledWith("https://clinica.example/listo");
  });

  const UNKNOWN = "Esta página ya no muestra cómo quedó";
  it.each([
    ["an address that is none of ours", { answers: [told({})], returned: { reference: null, provider: null } }],
    ["an address whose time is over", { answers: [{ ok: false, problem: refusalWith("not_found", 404) }] as const }],
  ])("of %s says where to look, and invites nobody to pay", async (_what, around) => {
    const page = await open(around);
    await page.passTime();
    expect(title()).toBe(UNKNOWN);
    expect(screen.getByText(/no pagues de nuevo sin preguntar/)).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
    expect(document.body.textContent).not.toMatch(/vuelve a abrir|abre de nuevo/i);
  });

  it("without a network keeps asking, and says that the payment may have been made", async () => {
    const page = await open({ answers: [OFFLINE, OFFLINE, told({})] });
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
