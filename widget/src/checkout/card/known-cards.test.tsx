import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { SAVED } from "../../gallery/recorded-answers.ts";
import { esCl } from "../../words/es-cl.ts";
import { WordsProvider } from "../../words/words-context.tsx";
import { CardStep, type CardStepProps } from "./card-step.tsx";

const onChoose = vi.fn();
const onSubmit = vi.fn();

function showCard(props: Partial<CardStepProps> = {}) {
  render(
    <WordsProvider value={esCl}>
      <CardStep
        known={{ cards: SAVED, current: SAVED[0], onChoose }}
        today={{ year: 2026, month: 11 }}
        pending={false}
        problem={null}
        isRefused={false}
        consents={[]}
        consentLocale="es-CL"
        onSubmit={onSubmit}
        {...props}
      />
    </WordsProvider>,
  );
  return userEvent.setup();
}

const number = () => screen.queryByLabelText("Número de tarjeta");
const isChecked = (name: RegExp) => screen.getByRole<HTMLInputElement>("radio", { name }).checked;
const proceed = () => screen.getByRole("button", { name: "Continuar" });

describe("a patient whose cards are known", () => {
  beforeEach(() => void vi.clearAllMocks());

  it("sees no form until one press chooses the other saved card", async () => {
    const user = showCard();
    expect(isChecked(/Mastercard ••0568/)).toBe(true);
    expect(number()).toBeNull();
    await user.click(proceed());
    expect(onChoose).toHaveBeenCalledWith(SAVED[1]);
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it("opens the form for another card, without its old errors", async () => {
    const user = showCard();
    await user.click(screen.getByRole("radio", { name: "Otra tarjeta" }));
    expect(number()).not.toBeNull();
    await user.click(proceed());
    expect(await screen.findByText("Hay 4 datos por revisar")).toBeTruthy();
    await user.click(screen.getByRole("radio", { name: /Visa ••6623/ }));
    expect(screen.queryByRole("alert")).toBeNull();
    await user.click(proceed());
    expect(onChoose).toHaveBeenCalledWith(SAVED[0]);
  });

  it("sees the form open if the only saved card is on the order", () => {
    showCard({ known: { cards: [SAVED[0]], current: SAVED[0], onChoose } });
    expect(number()).not.toBeNull();
  });

  it("has no saved card preselected after a problem", () => {
    showCard({ problem: { title: "Tu banco no aprobó la tarjeta", text: "Usa otra." } });
    expect(isChecked(/Otra tarjeta/)).toBe(true);
  });
});

it("the card form shows the accepted brands before a card is typed, and where the code is printed", async () => {
  const user = showCard({ known: undefined });
  expect(screen.getByText(/Redcompra, Visa, Mastercard, American Express, Magna/)).toBeTruthy();
  expect(screen.getByText("3 dígitos, al reverso")).toBeTruthy();
  await user.type(screen.getByLabelText("Número de tarjeta"), "378282246310005");
  expect(screen.getByText("4 dígitos, al frente")).toBeTruthy();
});
