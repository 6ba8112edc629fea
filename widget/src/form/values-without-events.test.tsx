import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ConsentText } from "bff/contract/widget-tokens";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import { CardStep } from "../checkout/card/card-step.tsx";
import { CodeStep } from "../checkout/code/code-step.tsx";
import { IdentityStep } from "../checkout/identity/identity-step.tsx";
import { PatientStep } from "../checkout/patient/patient-step.tsx";
import { RecoveryIdentity } from "../checkout/recovery/recovery-steps.tsx";
import { sessionWith } from "../gallery/recorded-answers.ts";
import { RightsRequestForm } from "../self-service/rights-request.tsx";
import { AllWords } from "../words/all-words.tsx";
import { loadWords } from "../words/load-words.ts";
import { WordsProvider } from "../words/words-context.tsx";
import { AccessForm, accessConsents } from "./access-form.tsx";

const CONSENTS: readonly ConsentText[] = sessionWith({}).consents;
const ACCESS_CONSENT = accessConsents(CONSENTS);
const shared = { pending: false, problem: null, onBack: () => undefined };

interface Case {
  readonly values: Readonly<Record<string, string>>;
  readonly form: (onSent: (...sent: unknown[]) => void) => ReactNode;
  readonly sent: unknown;
}

/** Every form of the widget, by the file that contains it. */
const FORMS: Readonly<Record<string, Case>> = {
  "form/access-form.tsx": {
    values: { insurer: "colmena", password: "mi-clave" },
    form: (onGive) => <AccessForm {...shared} insurer="" consents={ACCESS_CONSENT} locale="es-CL" onGive={onGive} />,
    sent: expect.objectContaining({ insurer: "colmena", password: "mi-clave" }),
  },
  "self-service/rights-request.tsx": {
    values: { what: "opposition", words: "No usen mis datos" },
    form: (onAsk) => <RightsRequestForm {...shared} orders={[]} onAsk={onAsk} />,
    sent: { kind: "opposition", words: "No usen mis datos" },
  },
  "checkout/card/card-step.tsx": {
    values: { number: "4051885600446623", expiry: "12/34", cvc: "123", holder_name: "CAMILA ROJAS" },
    form: (onSubmit) => (
      <CardStep
        {...shared}
        today={{ year: 2026, month: 11 }}
        isRefused={false}
        consents={[]}
        consentLocale="es-CL"
        onSubmit={onSubmit}
      />
    ),
    sent: { number: "4051885600446623", exp_month: 12, exp_year: 2034, cvc: "123", holder_name: "CAMILA ROJAS" },
  },
  "checkout/code/code-form.tsx": {
    values: { code: "314159" },
    form: (onSubmit) => (
      <CodeStep
        {...shared}
        texts={{ title: "Código", intro: "", hint: "", resent: "" }}
        codeIsRefused={false}
        resendAt={null}
        now={() => 0}
        onSubmit={onSubmit}
        onResend={() => undefined}
      />
    ),
    sent: "314159",
  },
  "checkout/identity/identity-step.tsx": {
    values: { document_type: "CEDULA_EXT", document_serial: "123456789" },
    form: (onSubmit) => (
      <IdentityStep {...shared} rut="12.345.678-5" serialIsRefused={false} onSubmit={(...sent) => onSubmit(sent)} />
    ),
    sent: ["123456789", "CEDULA_EXT"],
  },
  "checkout/patient/patient-step.tsx": {
    values: {
      rut: "12345678-5",
      first_name: "Camila",
      last_name: "Rojas",
      email: "camila@example.com",
      phone_number: "912345678",
      insurer: "colmena",
      insurer_access: "mi-clave",
      document_serial: "123456789",
    },
    form: (onSubmit) => (
      <PatientStep
        {...shared}
        providerName="Clínica"
        draft={{}}
        rutIsFixed={false}
        consents={ACCESS_CONSENT}
        consentLocale="es-CL"
        consentRound={0}
        given={[]}
        canGiveAccess
        asked={{ isRegistered: false, hasDocument: true }}
        refusedFields={[]}
        onConsent={() => undefined}
        onDraft={() => undefined}
        onUnsupported={() => undefined}
        onSubmit={(...sent) => onSubmit(sent)}
      />
    ),
    sent: [
      expect.objectContaining({ email: "camila@example.com", insurer: "colmena", insurer_access: "mi-clave" }),
      { serial: "123456789", type: "CEDULA" },
      ["insurer_access"],
    ],
  },
  "checkout/recovery/recovery-steps.tsx": {
    values: { document_serial: "123456789", email: "camila@example.com" },
    form: (onSubmit) => (
      <RecoveryIdentity {...shared} serialIsRefused={false} email="" onSubmit={(...sent) => onSubmit(sent)} />
    ),
    sent: ["123456789", "camila@example.com"],
  },
};

describe("a form with autofilled values", () => {
  it("has a test for every file that renders one", () => {
    const root = join(import.meta.dirname, "..");
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
      /(?<!\.test)\.tsx$/.test(file),
    );
    const making = files.filter((file) => {
      // The shell is the form of all forms that use the form library.
      return file !== "form/form-shell.tsx" && / = useStepForm<|<form\b/.test(readFileSync(join(root, file), "utf8"));
    });
    expect(making.sort()).toEqual(Object.keys(FORMS).sort());
  });

  it.each(Object.entries(FORMS))("submits them: %s", async (_file, { values, form, sent }) => {
    const onSent = vi.fn();
    const { container } = render(
      <WordsProvider value={await loadWords("es-CL")}>
        <AllWords>{form(onSent)}</AllWords>
      </WordsProvider>,
    );
    await screen.findByRole("heading", { level: 1 });
    const element = container.querySelector("form");
    for (const [name, value] of Object.entries(values)) setSilently(element, name, value);
    const user = userEvent.setup();
    const submit = container.querySelector<HTMLElement>("button[type=submit]");
    await user.click(submit ?? container);
    // The consent for the isapre's password is requested once the password is known.
    const consent = container.querySelector<HTMLElement>("input[name=consent]");
    if (consent !== null) {
      await user.click(consent);
      await user.click(submit ?? container);
    }
    await vi.waitFor(() => expect(onSent).toHaveBeenCalledOnce());
    expect(onSent.mock.calls[0]?.[0]).toEqual(sent);
  });
});

/** Like a password manager that fires no event: bypasses React with the browser's own setter. */
function setSilently(form: HTMLFormElement | null, name: string, value: string): void {
  const control = form?.elements.namedItem(name);
  if (control instanceof RadioNodeList) {
    for (const radio of control) if (radio instanceof HTMLInputElement) radio.checked = radio.value === value;
    return;
  }
  const prototype = control instanceof HTMLSelectElement ? HTMLSelectElement.prototype : HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(control, value);
}
