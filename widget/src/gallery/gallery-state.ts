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

/** One screen in one state, as it is named in the address of the gallery's page. */
export interface GalleryState {
  readonly name: string;
  readonly group: string;
  /** What the page comes with. */
  readonly page: (locale: Locale) => PageContent;
  /** Where the patient is, and what has been, when that is not how the page opens. */
  readonly opening?: NonNullable<CheckoutParts["opening"]>;
  /** Typed into the fields, by their ids, and whether the form is then sent: how faults come up. */
  readonly typed?: Readonly<Record<string, string>>;
  readonly isSent?: boolean;
  /** In a visit: what the service answers; every other call is never answered. */
  readonly visitAnswers?: Partial<CheckoutApi>;
  /** What becomes of the screens after the first, where they are not simply there. */
  readonly screens?: "there" | "lost" | "faulty";
  /** The page's own script has not come, as the page itself then says. */
  readonly isUnopened?: boolean;
  /** On a self-service page: what the service answers, and what the patient does one after the other. */
  readonly answers?: Partial<SelfServiceApi>;
  readonly returning?: GalleryReturn;
  readonly acts?: readonly GalleryAct[];
  /** A selector that matches once the state is visible. */
  readonly shows?: string;
}

/** One thing that a patient does, to the element that a selector names, once it is there. */
export type GalleryAct = { readonly press: string } | { readonly type: string; readonly text: string };
