import { isCodeRefused } from "../../api/problem.ts";
import { problemWithAttempts } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import type { Place } from "../checkout-state.ts";
import { isSerialRefused } from "../identity/identity-screen.tsx";
import type { StepProps } from "../step-props.ts";
import { RecoveryCode, RecoveryIdentity, RecoveryWays } from "./recovery-steps.tsx";
import { useAnswerRecoveryCode, useSendRecoveryCode } from "./use-recovery.ts";

interface RecoveryScreenProps extends Omit<StepProps, "problem"> {
  readonly place: Extract<Place, { at: "recovery" | "recovery_code" }>;
}

export function RecoveryScreen({ checkout, context, pending, place }: RecoveryScreenProps) {
  const words = useAllWords();
  const sendCode = useSendRecoveryCode(context);
  const answerCode = useAnswerRecoveryCode(context);
  const { actions, session } = checkout;
  const { collision } = place;
  const problem = problemWithAttempts(place.problem, words);
  if (place.at === "recovery_code") {
    return (
      <RecoveryCode
        sent={place.sent}
        pending={pending}
        problem={problem}
        codeIsRefused={isCodeRefused(place.problem)}
        now={context.clock.now}
        onSubmit={(code) => answerCode(collision, code)}
        onResend={() =>
          place.sent.way === "email_code" ? sendCode(collision, null) : actions.chooseRecovery("identity")
        }
        onOtherWay={collision.ways.length === 0 ? undefined : () => actions.chooseRecovery("way")}
      />
    );
  }
  if (place.asking === "identity") {
    return (
      <RecoveryIdentity
        pending={pending}
        problem={problem}
        serialIsRefused={isSerialRefused(place.problem)}
        email={checkout.draft().email ?? ""}
        onSubmit={(serial, email) => sendCode(collision, { serial, email })}
        onBack={() => actions.chooseRecovery("way")}
      />
    );
  }
  return (
    <RecoveryWays
      collision={collision}
      providerName={session.provider.name}
      rutIsFixed={session.order !== null}
      pending={pending}
      problem={problem}
      onEmailCode={() => sendCode(collision, null)}
      onIdentity={() => actions.chooseRecovery("identity")}
      onMistyped={actions.back}
    />
  );
}
