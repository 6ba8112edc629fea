import type { ErrorAdditions } from "bff/contract/errors";
import { OwnData } from "../done/own-data.tsx";
import type { StepContext } from "../step-context.ts";
import { RefusedScreen, type RefusedScreenProps } from "./refused-screen.tsx";
import { ReviewRequest } from "./review-request.tsx";

export interface CreditRefusedProps extends Pick<RefusedScreenProps, "providerName" | "onClose"> {
  readonly additions: ErrorAdditions;
  readonly context: StepContext;
  readonly rut: string;
}

/** The end of a visit whose credit was refused: why, and the way to a person who reviews that. */
export function CreditRefused({ additions, context, rut, ...props }: CreditRefusedProps) {
  return (
    <RefusedScreen {...props} firstInstalment={additions.first_instalment} reasons={additions.reasons ?? []}>
      <OwnData context={context} rut={rut} Request={ReviewRequest} />
    </RefusedScreen>
  );
}
