import type { ReactNode } from "react";
import { Button } from "../../design/button.tsx";
import { ScreenTitle } from "../../design/screen-title.tsx";
import { problemLine } from "../../words/problem-words.ts";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { CodeForm, type CodeFormProps } from "./code-form.tsx";
import styles from "./code-step.module.css";

export interface CodeStepProps
  extends Pick<CodeFormProps, "pending" | "codeIsRefused" | "resendAt" | "now" | "onSubmit" | "onResend"> {
  readonly texts: { readonly title: string; readonly intro: ReactNode; readonly hint: string; readonly resent: string };
  readonly problem: ProblemWords | null;
  readonly onBack: (() => void) | undefined;
}

/** A separate screen for a one-time code that was sent. */
export function CodeStep({ texts, problem, onBack, ...form }: CodeStepProps) {
  const words = useAllWords();
  return (
    <div className={styles.screen}>
      <ScreenTitle title={texts.title} intro={texts.intro} />
      <CodeForm
        {...form}
        hint={texts.hint}
        status={null}
        resent={texts.resent}
        resend={words.code.resend}
        ready
        problem={problem === null ? null : problemLine(problem)}
      >
        {onBack === undefined ? null : (
          <Button kind="quiet" onPress={onBack} unavailable={form.pending}>
            {words.page.back}
          </Button>
        )}
      </CodeForm>
    </div>
  );
}
