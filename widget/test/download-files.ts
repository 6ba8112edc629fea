import { waitFor } from "@testing-library/react";
import { expect, vi } from "vitest";
import type { Patient } from "./open-checkout.tsx";

const BUTTONS = ["Descargar comprobante (PDF)", "Descargar contrato (PDF)", "Agregar al calendario"];

/** Presses each button that downloads a file of the order, and waits until the browser has saved it. */
export async function downloadFiles(patient: Pick<Patient, "press">): Promise<void> {
  vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:here");
  const saved = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  for (const [times, name] of BUTTONS.entries()) {
    await patient.press(name);
    await waitFor(() => expect(saved).toHaveBeenCalledTimes(times + 1));
  }
}
