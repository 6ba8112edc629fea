import { INSURER_CALLBACK_PATH } from "../../../src/gateways/insurer-callbacks.ts";
import type { CallbackListener, HeardCallback } from "../callback-listener.ts";
import type { CheckRun } from "./check-run.ts";

const PAUSE_MS = 500;
const SIGNED = "each callback is signed with the token, at a moment of now";

/** Checks the callbacks that the connector has sent so far, or sends within a while. */
export async function checkCallbacks(
  run: CheckRun,
  listener: CallbackListener | null,
  { waitMs }: { readonly waitMs: number },
): Promise<void> {
  if (listener === null) {
    run.noteNotChecked(INSURER_CALLBACK_PATH, "signed", SIGNED, "nobody listened for callbacks (--callback-port)");
    return;
  }
  for (let waited = 0; listener.heard.length === 0 && waited < waitMs; waited += PAUSE_MS) await run.wait(PAUSE_MS);
  const { heard } = listener;
  if (heard.length === 0) {
    run.noteNotChecked(INSURER_CALLBACK_PATH, "signed", SIGNED, "no callback came; a connector need not send any");
    return;
  }
  const note = (check: string, expected: string, isRight: (callback: HeardCallback) => boolean) => {
    const wrong = heard.filter((callback) => !isRight(callback)).length;
    run.note(INSURER_CALLBACK_PATH, check, expected, wrong === 0 ? null : `${wrong} of ${heard.length} are not`);
  };
  note("path", "each callback goes to this path", ({ path }) => path === INSURER_CALLBACK_PATH);
  note("signed", SIGNED, ({ isSigned }) => isSigned);
  note("names-a-claim", "each callback names the provider and the claim of a call", ({ claim }) => {
    return claim !== null && claim.providerId === run.providerId;
  });
}
