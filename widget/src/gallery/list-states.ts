import { GALLERY_STATES } from "./states.ts";

/** The names of the gallery's states, for whoever frames them: the clinic's demo and the tests. */
export const GALLERY_LIST = { states: GALLERY_STATES.map(({ name, group }) => ({ name, group })) };
