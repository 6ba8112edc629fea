/*
 * Messages between our own pages while a page of a bank or the card processor is open. None carries an outcome: the
 * receiver requests it from the service.
 */

/** The external page has ended. The card processor's page sends it too, to the window that framed or opened it. */
export const PAGE_ENDED = "aapd:challenge-ended";

/** To the return page in a tab: the checkout that opened the tab is still open and waiting. */
export const CHECKOUT_WAITS = "aapd:checkout-waits";
