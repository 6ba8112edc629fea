import type { Locale, WidgetSession } from "bff/contract/widget-tokens";
import type { ComponentType } from "react";
import type { SelfServiceApi } from "../api/self-service-api.ts";
import type { ShownReports } from "../checkout/shown-reports.ts";
import type { StepParts } from "../checkout/step-context.ts";
import { useAllWords } from "../words/words-context.tsx";

/** The purpose of a self-service link. The service sends it to the patient's registered address. */
export type LinkPurpose = Exclude<WidgetSession["purpose"], "checkout" | "onboarding">;

/** The dependencies of the pages. Tests and the gallery pass their own. */
export interface SelfServiceParts extends Omit<StepParts, "api"> {
  readonly shown: Pick<ShownReports, "begin">;
  readonly api: SelfServiceApi;
}

/** The props of every page behind a link. All texts are loaded, and headings take the focus. */
export interface LinkPageProps {
  readonly session: WidgetSession;
  readonly token: string;
  readonly parts: SelfServiceParts;
}

export type LinkPage = ComponentType<LinkPageProps>;

/** The texts of one page, in a separate file that the checkout does not load. */
export type PageWords<Text> = Readonly<Record<Locale, Text>>;

export function usePageWords<Text>(words: PageWords<Text>): Text {
  return words[useAllWords().locale];
}
