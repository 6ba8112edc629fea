import { useEffect } from "react";
import type { ClinicFacts } from "../clinic-api.ts";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "aapd-message": {
        readonly amount: number;
        readonly "public-key": string;
        readonly api: string;
        readonly className?: string | undefined;
      };
    }
  }
}

interface TwoPartsProps {
  readonly facts: Pick<ClinicFacts, "widgetHostUrl" | "quotes">;
  readonly priceClp: number;
  readonly className?: string | undefined;
}

/** A price in two parts; empty if the service does not offer it. */
export function TwoParts({ facts: { widgetHostUrl, quotes }, priceClp, className }: TwoPartsProps) {
  useEffect(() => {
    // The page works without it.
    import(/* @vite-ignore */ `${widgetHostUrl}/embed/message.js`).catch(() => undefined);
  }, [widgetHostUrl]);
  return <aapd-message amount={priceClp} public-key={quotes.publicKey} api={quotes.api} className={className} />;
}
