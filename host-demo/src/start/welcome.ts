import { PEOPLE } from "../scenarios/people.ts";
import type { Settings } from "./settings.ts";

/** The text that a newcomer reads once everything runs: the addresses, the patient to use, and what to click. */
export function welcome(settings: Settings): string {
  const [person] = PEOPLE;
  return `
  Everything runs. Nothing here moves real money.

    The clinic's page    ${settings.clinicUrl}      <- open this one
    Order API            ${settings.orderApiUrl}
    Spot API             ${settings.spotApiUrl}
    Widget host          ${settings.widgetHostUrl}
    Guide for partners   ${settings.orderApiUrl}/docs
    Operators' console   ${settings.operationsUrl}      (sign in: pnpm aapd operator sign-in)

  Pay as a patient would:

    1. Open the clinic's page, choose a consultation and press "Atiéndete ahora, paga después".
    2. Patient           ${person?.firstName} ${person?.lastName}, RUT ${person?.rut} (chosen already)
    3. Isapre            any; the portal's password is optional
    4. Document number   123.456.789
    5. Card              4051 8856 0044 6623, any later date, CVC 123

  A card that is declined: 5186 0595 5959 0568. All test values: ${settings.orderApiUrl}/docs/sandbox
  Data is kept in ${settings.dataDir}. Ctrl-C stops everything.

`;
}
