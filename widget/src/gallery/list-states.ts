import { GALLERY_STATES } from "./states.ts";

/** The names of the gallery's states, for the clinic's demo and the tests, which show them in frames. */
export const GALLERY_LIST = { states: GALLERY_STATES.map(({ name, group }) => ({ name, group })) };
