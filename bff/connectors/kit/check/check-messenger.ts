import { MESSAGE_CHARACTERS_MAX, messengerProtocol } from "../../../src/gateways/protocols/messenger.ts";
import { checkKeyedCall } from "./check-keyed-call.ts";
import { checkOutcome } from "./check-outcome.ts";
import type { CheckRun } from "./check-run.ts";

const { send } = messengerProtocol;

/** The gateway for messages. Only the telephone can show that no message arrives twice. */
export async function checkMessenger(run: CheckRun): Promise<void> {
  const to = run.values.phone;
  await checkKeyedCall(run, {
    operation: send,
    newInput: async () => ({ to, text: `Prueba de conector ${run.ids.uuid().slice(0, 8)}` }),
    // A message is sent again under its key, possibly with a corrected text.
    changed: null,
    expected: "sent",
    isExpected: ({ outcome }) => outcome === "sent",
    hasInquiry: false,
  });
  await checkOutcome(run, {
    operation: send,
    check: "template",
    expected: "sent",
    input: {
      to,
      text: "Clinica de prueba: recibimos $1.000, el resto de tu pago. No habra mas cobros. Revisa tu correo.",
      template: { name: "paid_otherwise", language: "es-CL" },
      values: { clinic: "Clínica de prueba", amount: "$1.000" },
    },
    isExpected: ({ outcome }) => outcome === "sent",
  });
  await checkOutcome(run, {
    operation: send,
    check: "longest-text",
    expected: "sent",
    input: { to, text: "n".repeat(MESSAGE_CHARACTERS_MAX) },
    isExpected: ({ outcome }) => outcome === "sent",
  });
}
