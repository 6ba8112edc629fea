import { setTimeout as wait } from "node:timers/promises";
import { sandboxEndpoints } from "bff/contract/sandbox-endpoints";
import { SCENARIOS } from "host-demo/scenarios/catalogue";
import { CARDS, MAGIC_RUTS, SERIALS } from "host-demo/scenarios/magic-values";
import { isSight } from "host-demo/scenarios/scenario";
import { wordsOfStep } from "host-demo/scenarios/step-words";
import { playSteps } from "../kit/play-scenario.ts";
import { beginByApi, beginningOf } from "../support/begin-by-api.ts";
import { long, short } from "../support/levels.ts";
import { type OwnClinic, startOwnClinic } from "../support/own-clinic.ts";
import { moveClock } from "../support/sandbox-clock.ts";
import { clinicCredentials, productUrls } from "../support/tenant.ts";
import { test as base, expect } from "../support/test.ts";

/** Each scenario has a separate clinic, so that days can pass and patients be new. */
const test = base.extend<{ readonly ownClinic: OwnClinic }>({
  ownClinic: async ({ playwright: _playwright }, use) => {
    const clinic = await startOwnClinic();
    await use(clinic);
    await clinic.stop();
  },
  baseURL: ({ ownClinic }, use) => use(ownClinic.origin),
});

/** Longer than a screen takes to appear if nothing delays it. */
const PATIENCE_MS = 4_000;

/**
 * A credit under review, or a lost answer, is inquired about after 10 s and 30 s more. The clock only moves for the
 * screens that wait for that.
 */
async function seeSoon(see: () => Promise<void>, { credentials }: OwnClinic): Promise<void> {
  const isSeen = see().then(() => true);
  while (!(await Promise.race([isSeen, wait(PATIENCE_MS, false)]))) await moveClock(credentials, "30s");
}

/**
 * One purchase is played on the screens from its first to its last step, as are scenarios with an unusual beginning.
 */
const WHOLE = "pago-aprobado";

/** Scenarios with screens that no other short test covers. */
const SHORT = [WHOLE, "documento-rechazado", "credito-rechazado", "tarjeta-guardada"];

/** The short tests that cover the same screens. For all other scenarios, `WHOLE` does. */
const SHOWN_BY = new Map<string, readonly [file: string, test: string]>([
  [
    "tarjeta-rechazada",
    ["e2e/tests/embed.spec.ts", "nothing of the clinic's page moves by itself during the whole visit, at 360 px"],
  ],
  ["banco-confirma", ["e2e/tests/returns.spec.ts", "a bank that returns in its frame ends the dialog around it"]],
  [
    "paciente-registrado",
    [
      "e2e/tests/recovery.spec.ts",
      "a RUT under another e-mail: the code goes to the registered address, and nothing changes",
    ],
  ],
  [
    "respuesta-perdida",
    [
      "e2e/tests/charged-once.spec.ts",
      "twenty clicks on Pagar and a lost answer make one charge, and the screen ends in Listo",
    ],
  ],
]);

function levelOf({ id }: { readonly id: string }) {
  if (SHORT.includes(id)) return short("patient");
  const shownBy = SHOWN_BY.get(id);
  return shownBy === undefined ? long("simulated lives") : long(...shownBy);
}

for (const scenario of SCENARIOS) {
  test(`${scenario.id}: ${scenario.title}`, levelOf(scenario), async ({ clinic, ownClinic }) => {
    test.slow();
    // The others share their screens up to the point where they differ, and begin there.
    const beginning = scenario.id === WHOLE ? null : beginningOf(scenario);
    if (beginning === null) await clinic.openScenario(scenario.id);
    else await clinic.openPurchase(await beginByApi(ownClinic.origin, scenario, beginning));
    await playSteps(clinic, beginning?.left ?? scenario.steps, (step, play) =>
      test.step(wordsOfStep(step), () => (isSight(step) && step.see === "screen" ? seeSoon(play, ownClinic) : play())),
    );
  });
}

base("the catalogue counts on nothing but what the sandbox serves as its test values", short("partner"), async () => {
  const response = await fetch(new URL("/sandbox/catalogue", productUrls().orderApiUrl), {
    headers: { authorization: `Bearer ${(await clinicCredentials()).client_secret}` },
  });
  const served = sandboxEndpoints.readSandboxCatalogue.success[200].parse(await response.json());
  const digits = (text: string) => text.replace(/[\s.]/g, "");
  for (const { number, kind, causes } of Object.values(CARDS)) {
    expect(served.cards).toContainEqual(
      expect.objectContaining({ number: digits(number), kind, causes: expect.stringContaining(causes) }),
    );
  }
  for (const { serial, causes } of Object.values(SERIALS)) {
    const entry = served.document_serials.find(({ document_serial }) => document_serial === digits(serial));
    expect(entry?.causes ?? "").toContain(causes);
  }
  for (const { rut, causes } of Object.values(MAGIC_RUTS)) {
    const entry = served.people.find((person) => person.rut === digits(rut));
    expect(entry?.causes).toContain(causes);
  }
});
