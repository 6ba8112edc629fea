/** User agents of in-app browsers (Facebook, Instagram, Google). They open no window, so links open in place. */
export const OPENS_NO_WINDOW = /FBA|Insta|GSA/;
