import type { Locale, WidgetSession } from "bff/contract/widget-tokens";
import type { ComponentType } from "react";
import type { OwnLinkApi } from "../api/own-link-api.ts";
import type { CommandParts } from "../checkout/checkout-commands.ts";
import { useAllWords } from "../words/words-context.tsx";

/** What the links are for that the service itself sends to a patient's registered address. */
export type OwnPurpose = Exclude<WidgetSession["purpose"], "checkout" | "onboarding">;

/** What the pages work with; tests and the gallery give their own. */
export interface OwnLinkParts extends Omit<CommandParts, "api"> {
  readonly api: OwnLinkApi;
}

/** What every page of such a link is given. Inside of it all words are there, and its headings take the focus. */
export interface OwnPageProps {
  readonly session: WidgetSession;
  readonly token: string;
  readonly parts: OwnLinkParts;
}

export type OwnPage = ComponentType<OwnPageProps>;

/** A page's own words: they stand in a file beside it, so that nobody else carries them. */
export type PageWords<Text> = Readonly<Record<Locale, Text>>;

export function usePageWords<Text>(words: PageWords<Text>): Text {
  return words[useAllWords().locale];
}
