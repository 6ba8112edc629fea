import { useMutation } from "@tanstack/react-query";
import type { CalendarFile, PdfFile } from "bff/contract/order-files";
import { type Answer, problemOf, valueOrThrow } from "../../api/problem.ts";
import { saveOrderFile } from "../../browser/save-file.ts";
import { Button } from "../../design/button.tsx";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";
import { credentialsOf } from "../server-state.ts";
import type { StepContext } from "../step-context.ts";

/** The files of a paid order that the patient keeps. The calendar entry exists while a charge is to come. */
export function FileDownloads({ context, isCharged }: { readonly context: StepContext; readonly isCharged: boolean }) {
  const { done } = useAllWords();
  return (
    <>
      <FileDownload context={context} file="printReceipt" label={done.receiptFile} />
      <FileDownload context={context} file="printAgreement" label={done.agreement} />
      {isCharged ? <FileDownload context={context} file="readCalendarEntry" label={done.calendar} /> : null}
    </>
  );
}

interface FileDownloadProps {
  readonly context: StepContext;
  readonly file: "printReceipt" | "printAgreement" | "readCalendarEntry";
  readonly label: string;
}

function FileDownload({ context: { api, visit }, file, label }: FileDownloadProps) {
  const words = useAllWords();
  const download = useMutation({
    mutationFn: async () => {
      const session = visit.session();
      const { order_token: hash, locale } = session;
      const answer: Answer<PdfFile | CalendarFile> = await api[file](credentialsOf(session), hash ?? "", locale);
      saveOrderFile(valueOrThrow(answer));
    },
    // The patient sees why, and presses again.
    retry: false,
  });
  return (
    <>
      <ArrivingNotice words={download.isError ? problemWords(problemOf(download.error), words) : null} />
      <Button onPress={download.mutate} pending={download.isPending}>
        {label}
      </Button>
    </>
  );
}
