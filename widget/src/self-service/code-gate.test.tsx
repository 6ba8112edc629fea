import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { StartRecoveryResponse } from "bff/contract/onboarding";
import { describe, expect, it } from "vitest";
import type { Answer, Problem } from "../api/problem.ts";
import { createQueryClient } from "../api/query-client.ts";
import { createSessionClock } from "../checkout/session-clock.ts";
import { refusalWith, SERVER_TIME } from "../gallery/recorded-answers.ts";
import { esCl } from "../words/es-cl.ts";
import { WordsProvider } from "../words/words-context.tsx";
import { CodeGate } from "./code-gate.tsx";

const SENT: Answer<StartRecoveryResponse> = {
  ok: true,
  value: {
    sent_to: "c•••@e•••.com",
    expires_at: "2026-11-21T15:30:00.000Z",
    resend_after: "2026-11-21T15:21:00.000Z",
  },
};

function refused(...refusal: Parameters<typeof refusalWith>): Answer<never> {
  return { ok: false, problem: refusalWith(...refusal) };
}

/** A gate whose service gives these answers, one per call. */
function openGate(sent: Answer<StartRecoveryResponse>[], opened: Answer<string>[]) {
  const codes: string[] = [];
  let close: ((problem: Problem) => void) | null = null;
  let codesSent = 0;
  render(
    <QueryClientProvider client={createQueryClient()}>
      <WordsProvider value={esCl}>
        <CodeGate
          words={{ title: "Tus datos", text: "Te enviamos un código.", action: "Enviar código" }}
          clock={createSessionClock(SERVER_TIME, [() => 0])}
          sendCode={async () => {
            codesSent += 1;
            return sent.shift() ?? SENT;
          }}
          answerCode={async (code) => {
            codes.push(code);
            return opened.shift() ?? { ok: true, value: "lo de adentro" };
          }}
        >
          {(value, closeIt) => {
            close = closeIt;
            return <p>{value}</p>;
          }}
        </CodeGate>
      </WordsProvider>
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  return {
    codes,
    codesSent: () => codesSent,
    close: (problem: Problem) => close?.(problem),
    send: async () => user.click(await screen.findByRole("button", { name: "Enviar código" })),
    answer: async (code: string) => {
      const field = await screen.findByLabelText("Código de 6 dígitos", { exact: false, selector: "input" });
      await user.clear(field);
      await user.type(field, code);
      await user.click(screen.getByRole("button", { name: "Confirmar" }));
    },
  };
}

describe("code gate of a link", () => {
  it("sends a code on request, none when the link is opened", async () => {
    const gate = openGate([], []);
    expect(gate.codesSent()).toBe(0);
    await gate.send();
    expect(await screen.findByText(/c•••@e•••\.com/)).toBeTruthy();
    expect(gate.codesSent()).toBe(1);
    expect(screen.queryByText("lo de adentro")).toBeNull();
  });

  it("opens with the right code, also typed with spaces", async () => {
    const gate = openGate([], []);
    await gate.send();
    await gate.answer("123 456");
    expect(await screen.findByText("lo de adentro")).toBeTruthy();
    expect(gate.codes).toEqual(["123456"]);
  });

  it("stays closed after a wrong code, and shows the attempts left", async () => {
    const gate = openGate([], [refused("recovery_code_invalid", 422, { attempts_left: 4 })]);
    await gate.send();
    await gate.answer("000000");
    expect((await screen.findByRole("alert")).textContent).toContain("El código no es correcto");
    expect(screen.getByRole("alert").textContent).toContain("4");
    expect(screen.queryByText("lo de adentro")).toBeNull();
  });

  it("requires a new code after the last attempt", async () => {
    const gate = openGate([], [refused("recovery_code_invalid", 422, { attempts_left: 0 })]);
    await gate.send();
    await gate.answer("000000");
    expect((await screen.findByRole("alert")).textContent).toContain("Ya no te quedan intentos. Pide uno nuevo.");
  });

  it("requires a new code once one has expired", async () => {
    const gate = openGate([], [refused("recovery_code_expired", 410)]);
    await gate.send();
    await gate.answer("000000");
    expect((await screen.findByRole("alert")).textContent).toContain("El código venció");
    await gate.send();
    await gate.answer("123456");
    expect(await screen.findByText("lo de adentro")).toBeTruthy();
  });

  it("says why no code was sent", async () => {
    const gate = openGate([refused("rate_limited", 429, { retry_after_seconds: 100 })], []);
    await gate.send();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Demasiadas solicitudes");
    expect(document.activeElement).toBe(alert);
  });

  it("closes again when the access of the code expires", async () => {
    const gate = openGate([], []);
    await gate.send();
    await gate.answer("123456");
    await screen.findByText("lo de adentro");
    gate.close(refusalWith("recovery_code_expired", 410));
    expect((await screen.findByRole("alert")).textContent).toContain("El código venció");
    expect(screen.queryByText("lo de adentro")).toBeNull();
  });
});
