import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { type AnnualCostTerms, quoteFor } from "../../orders/quote.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { defineRoute, type Route } from "../../platform/http/route.ts";

export interface QuoteRoutesDependencies {
  readonly financingProviderName: string;
  readonly annualCost: AnnualCostTerms;
}

/** The route that says what an amount would cost in two parts, before there is an order. */
export function quoteRoutes({ financingProviderName, annualCost }: QuoteRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.readQuote, {
      async handle({ principal: { provider }, query: { amount: total }, now }) {
        const { commissionBasisPoints, commissionTax } = provider.settings;
        const offer = { total, commissionBasisPoints, commissionTax, annualCost, now };
        const quote = quoteFor({ ...offer, financingProvider: financingProviderName });
        if (quote.today === 0) throw new ApiError("amount_too_small");
        return { status: 200, body: quote };
      },
    }),
  ];
}
