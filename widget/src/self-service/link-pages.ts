import { CardChangePage } from "./card-change-page.tsx";
import { InsurerAccessPage } from "./insurer-access-page.tsx";
import type { LinkPage, LinkPurpose } from "./link-page.ts";
import { MyDataPage } from "./my-data-page.tsx";
import { ObjectionPage } from "./objection-page.tsx";
import { PayEarlyPage } from "./pay-early-page.tsx";
import { PaymentPage } from "./payment-page.tsx";

/** The page of each self-service link. They are loaded as one chunk, separate from the checkout. */
export const LINK_PAGES: Readonly<Record<LinkPurpose, LinkPage>> = {
  card_change: CardChangePage,
  insurer_access: InsurerAccessPage,
  my_data: MyDataPage,
  objection: ObjectionPage,
  pay_early: PayEarlyPage,
  payment: PaymentPage,
};
