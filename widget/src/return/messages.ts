/*
 * What our own pages say to each other around the page of a bank or of the card processor. None carries an outcome:
 * whoever hears one asks the service.
 */

/** The page of another has ended. The card processor's page says it too, to the window that framed or opened it. */
export const PAGE_ENDED = "aapd:challenge-ended";

/** To the return page in a tab: the checkout that opened it is still open, and waits. */
export const CHECKOUT_WAITS = "aapd:checkout-waits";
