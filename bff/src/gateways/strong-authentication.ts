import type { DeclineReason } from "../contract/errors.ts";
import type { ExternalPage } from "../contract/vocabulary/card.ts";
import type { NetworkNamed } from "../contract/vocabulary/voucher.ts";
import type { AuthenticationInput, AuthenticationOutcome, CardProcessor } from "./card-processor.ts";
import type { Answered, AttemptCall } from "./gateway-call.ts";
import type { KeyedCall } from "./run-call.ts";

/*
 * Strong authentication, wherever a patient uses a card: the call, and the state that its answer implies at a moment.
 */

export type AuthenticationAnswer = Answered<AuthenticationOutcome>;

export type Challenge = ExternalPage;

export type AuthenticationState =
  /** `authenticationId` is null if the issuer required nothing. */
  | ({ readonly state: "proven"; readonly authenticationId: string | null } & NetworkNamed)
  | { readonly state: "challenged"; readonly authenticationId: string; readonly challenge: Challenge }
  | { readonly state: "declined"; readonly reason: DeclineReason };

/**
 * The state that an answer implies at `now`, in the provider's time: an unfinished challenge is abandoned when it
 * expires.
 */
export function authenticationState(answer: AuthenticationAnswer, now: Date): AuthenticationState {
  switch (answer.outcome) {
    case "not_needed":
      return { state: "proven", authenticationId: null, ...networkNamed(answer) };
    case "authenticated":
      return { state: "proven", authenticationId: answer.authenticationId, ...networkNamed(answer) };
    case "challenge": {
      const { authenticationId, url, expiresAt, display } = answer;
      if (now >= expiresAt) return { state: "declined", reason: "authentication_abandoned" };
      return { state: "challenged", authenticationId, challenge: { url, expiresAt, display } };
    }
    case "declined":
      return { state: "declined", reason: answer.reason };
  }
}

function networkNamed({ networkTransactionId }: NetworkNamed): NetworkNamed {
  return networkTransactionId === undefined ? {} : { networkTransactionId };
}

/** The call that asks the issuer, with the inquiry about it. */
export function authenticationCall(
  cardProcessor: CardProcessor,
  under: AttemptCall,
  input: AuthenticationInput,
): KeyedCall<AuthenticationAnswer> {
  return {
    under,
    call: (call) => cardProcessor.authenticate(call, input),
    inquire: (call) => cardProcessor.inquireAuthentication(call),
  };
}
