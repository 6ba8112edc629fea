import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { endAuthentication, findChallenge } from "./card-processor-store.ts";
import type { Challenge, ChallengeChoice } from "./challenge-page.ts";

interface ChallengeDependencies {
  readonly db: Database;
  readonly clock: Clock;
}

/** A challenge for the bank's page. An expired one is abandoned. Undefined if there is no such challenge. */
export async function readChallenge({ db, clock }: ChallengeDependencies, id: string): Promise<Challenge | undefined> {
  const challenge = await findChallenge(db, id);
  if (challenge?.state !== "pending" || clock.now() < challenge.pageExpiresAt) return challenge;
  await endAuthentication(db, id, "abandoned");
  return findChallenge(db, id);
}

/** Records the pressed button of the bank's page, unless the challenge has ended. Returns its current state. */
export async function answerChallenge(
  dependencies: ChallengeDependencies,
  id: string,
  choice: ChallengeChoice,
): Promise<Challenge | undefined> {
  const challenge = await readChallenge(dependencies, id);
  if (challenge?.state !== "pending") return challenge;
  await endAuthentication(dependencies.db, id, endingOf(choice, challenge));
  return findChallenge(dependencies.db, id);
}

function endingOf(choice: ChallengeChoice, challenge: Challenge): "authenticated" | "failed" | "abandoned" {
  if (choice === "cancel") return "abandoned";
  return choice === "approve" && challenge.behaviour !== "challenge_failed" ? "authenticated" : "failed";
}
