import { QueryClientProvider } from "@tanstack/react-query";
import { type Ref, useImperativeHandle } from "react";
import type { StepContext } from "../step-context.ts";
import type { Checkout } from "../use-checkout.ts";
import { useAnswerCode, useAskCode } from "./use-recognition.ts";

/** The calls for a code. */
export interface CodeCalls {
  readonly ask: () => void;
  readonly answer: (code: string) => void;
}

export interface CodeCallsProps {
  readonly ref: Ref<CodeCalls>;
  readonly checkout: Checkout;
  readonly context: StepContext;
}

/**
 * Gives its calls to a form that is on the screen before their code is loaded. It renders nothing, so that the form
 * keeps its input and focus.
 */
export function CodeCalls(props: CodeCallsProps) {
  return (
    <QueryClientProvider client={props.context.queries}>
      <Calls {...props} />
    </QueryClientProvider>
  );
}

function Calls({ ref, checkout, context }: CodeCallsProps) {
  const ask = useAskCode(context, checkout.state.recognition.asked);
  const answer = useAnswerCode(context);
  useImperativeHandle(ref, () => ({ ask, answer }));
  return null;
}
