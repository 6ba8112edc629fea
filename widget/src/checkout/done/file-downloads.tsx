import { useMutation } from "@tanstack/react-query";
import type { OrderDocument } from "bff/contract/order-files";
import type { PatientOrder } from "bff/contract/orders";
import type { CheckoutApi } from "../../api/checkout-api.ts";
import { problemOf, valueOrThrow } from "../../api/problem.ts";
import { saveOrderFile } from "../../browser/save-file.ts";
import { Button } from "../../design/button.tsx";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";

interface FileDownloadsProps {
  readonly makeFile: CheckoutApi["makeFile"];
  readonly clientId: string;
  readonly order: PatientOrder;
}

/** The files of a paid order that the patient keeps. The calendar entry is offered while a charge is upcoming. */
export function FileDownloads(props: FileDownloadsProps) {
  const isCharged = props.order.plan.data.installments[1].status === "scheduled";
  return (
    <>
      <FileDownload {...props} document="receipt" />
      <FileDownload {...props} document="agreement" />
      {isCharged ? <FileDownload {...props} document="calendar" /> : null}
    </>
  );
}

function FileDownload({
  makeFile,
  clientId,
  order,
  document,
}: FileDownloadsProps & { readonly document: OrderDocument }) {
  const words = useAllWords();
  const download = useMutation({
    mutationFn: async () => saveOrderFile(valueOrThrow(await makeFile(clientId, order.hash, document, words.locale))),
    // The screen shows the failure; the patient presses again.
    retry: false,
  });
  return (
    <>
      <ArrivingNotice words={download.isError ? problemWords(problemOf(download.error), words) : null} />
      <Button onPress={download.mutate} pending={download.isPending}>
        {words.done.files[document]}
      </Button>
    </>
  );
}
