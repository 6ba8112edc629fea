import { useMutation } from "@tanstack/react-query";
import { problemOf, valueOrThrow } from "../../api/problem.ts";
import { saveAgreement } from "../../browser/save-file.ts";
import { Button } from "../../design/button.tsx";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";
import { credentialsOf } from "../server-state.ts";
import type { StepContext } from "../step-context.ts";

/** What was agreed to with the payment, to keep. */
export function AgreementDownload({ context: { api, visit } }: { readonly context: StepContext }) {
  const words = useAllWords();
  const download = useMutation({
    mutationFn: async () => {
      const session = visit.session();
      const { order_token: hash, locale } = session;
      saveAgreement(valueOrThrow(await api.printAgreement(credentialsOf(session), hash ?? "", locale)));
    },
    // The patient is told, and presses again.
    retry: false,
  });
  return (
    <>
      <ArrivingNotice words={download.isError ? problemWords(problemOf(download.error), words) : null} />
      <Button onPress={download.mutate} pending={download.isPending}>
        {words.done.agreement}
      </Button>
    </>
  );
}
