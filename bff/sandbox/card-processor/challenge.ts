import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { endAuthentication, findChallenge } from "./card-processor-store.ts";
import type { Challenge, ChallengeChoice } from "./challenge-page.ts";

interface ChallengeDependencies {
  readonly db: Database;
  readonly clock: Clock;
}

/** A challenge as the bank's page finds it; one whose time is over is abandoned. Undefined: there is none. */
export async function readChallenge({ db, clock }: ChallengeDependencies, id: string): Promise<Challenge | undefined> {
  const challenge = await findChallenge(db, id);
  if (challenge?.state !== "pending" || clock.now() < challenge.pageExpiresAt) return challenge;
  await endAuthentication(db, id, "abandoned");
  return findChallenge(db, id);
}

/** Writes down what was pressed on the bank's page, unless the challenge has ended; tells what it is now. */
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
