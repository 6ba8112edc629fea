import type { ReadReturnResponse } from "bff/contract/redirects";
import type { PageContent } from "bff/contract/widget-page";
import type { Locale } from "bff/contract/widget-tokens";
import type { CheckoutApi } from "../api/checkout-api.ts";
import type { Answer } from "../api/problem.ts";
import type { SelfServiceApi } from "../api/self-service-api.ts";
import type { CheckoutParts } from "../checkout/use-checkout.ts";

/** The windows around the return page, and the service's answer. */
export interface GalleryReturn {
  /** Null if none has arrived. */
  readonly answer: Answer<ReadReturnResponse> | null;
  /** The checkout is open elsewhere. */
  readonly continues?: boolean;
  /** The page that was left in this window can be opened again. */
  readonly hasLeftPage?: boolean;
}

/** One screen in one state, named in the URL of the gallery's page. */
export interface GalleryState {
  readonly name: string;
  readonly group: string;
  /** The page state that the server would send. */
  readonly page: (locale: Locale) => PageContent;
  /** The current screen and earlier events, if they differ from those of a newly opened page. */
  readonly opening?: NonNullable<CheckoutParts["opening"]>;
  /** Input for the fields, by id, and whether the form is then submitted, which shows its faults. */
  readonly typed?: Readonly<Record<string, string>>;
  readonly isSent?: boolean;
  /** The service's answers in a visit. Every other call stays unanswered. */
  readonly visitAnswers?: Partial<CheckoutApi>;
  /** The state of the screens after the first, if they are not simply loaded. */
  readonly screens?: "there" | "lost" | "faulty";
  /** Whether the page's own script failed to load, which the page itself reports. */
  readonly isUnopened?: boolean;
  /** On a self-service page: the service's answers, and the patient's actions in sequence. */
  readonly answers?: Partial<SelfServiceApi>;
  readonly returning?: GalleryReturn;
  readonly acts?: readonly GalleryAct[];
  /** A selector that matches once the state is visible. */
  readonly shows?: string;
}

/** One action of a patient on the element that a selector matches, once it exists. */
export type GalleryAct = { readonly press: string } | { readonly type: string; readonly text: string };
