import { useMutation } from "@tanstack/react-query";
import type { WidgetSession } from "bff/contract/widget-tokens";
import type { GiveInsurerAccess } from "../api/give-access.ts";
import { NOTHING_SENT, type Problem, ProblemError, problemOf, valueOrThrow } from "../api/problem.ts";
import { type Seal, sealedOrNull } from "../api/sealed-or-null.ts";
import type { TypedAccess } from "../form/access-form.tsx";
import { givenConsents } from "./given-consents.ts";
import type { SessionClock } from "./session-clock.ts";

interface GivingAccess {
  readonly parts: {
    readonly api: { readonly giveInsurerAccess: GiveInsurerAccess };
    readonly clock: SessionClock;
    readonly seal: Seal;
  };
  readonly session: WidgetSession;
  readonly rut: string;
  /** The authorization of the call: a link with the access that its code opened, or only the token of the checkout. */
  readonly by: { readonly widget_token: string; readonly access?: string };
  readonly onGiven: () => void;
  readonly onRefused: (problem: Problem) => void;
}

interface SealedAccess extends Omit<TypedAccess, "password"> {
  readonly sealed: Promise<string | null>;
}

/** Seals the isapre's password and gives it. */
export function useGiveAccess({ parts, session, rut, by, onGiven, onRefused }: GivingAccess) {
  const giving = useMutation({
    // The password is already being sealed, so that the mutation never contains it.
    mutationFn: async ({ insurer, sealed, given }: SealedAccess) => {
      const sealed_insurer_access = await sealed;
      if (sealed_insurer_access === null) throw new ProblemError(NOTHING_SENT);
      const consents = givenConsents(session.consents, "onboarding", given);
      const body = { ...by, insurer, sealed_insurer_access, consents };
      return valueOrThrow(await parts.api.giveInsurerAccess(session.public_key, body));
    },
    // After a lost answer the access may have been given, which the patient's next press reveals.
    retry: false,
    onSuccess: onGiven,
    onError: (failure) => onRefused(problemOf(failure)),
  });
  function give({ insurer, password, given }: TypedAccess): void {
    const iat = Math.floor(parts.clock.now() / 1000);
    const access = { insurer, rut, password, iat };
    giving.mutate({ insurer, sealed: sealedOrNull(parts, access, session.sealing_keys.insurer_access), given });
  }
  return { give, isPending: giving.isPending };
}
