import { CardChangePage } from "./card-change-page.tsx";
import { InsurerAccessPage } from "./insurer-access-page.tsx";
import { MyDataPage } from "./my-data-page.tsx";
import { ObjectionPage } from "./objection-page.tsx";
import type { OwnPage, OwnPurpose } from "./own-page.ts";
import { PayEarlyPage } from "./pay-early-page.tsx";

/** The page of each link that the service sends: one file and one row each, all in one piece that nobody else loads. */
export const OWN_PAGES: Readonly<Record<OwnPurpose, OwnPage>> = {
  card_change: CardChangePage,
  insurer_access: InsurerAccessPage,
  my_data: MyDataPage,
  objection: ObjectionPage,
  pay_early: PayEarlyPage,
};
