import type { GalleryState } from "./gallery-state.ts";

/** The names of all states, each linking to its state. */
export function GalleryIndex({ states }: { readonly states: readonly GalleryState[] }) {
  return (
    <main>
      <h1>Gallery</h1>
      <ul>
        {states.map(({ name, group }) => (
          <li key={name}>
            <a href={`?state=${name}`}>
              {group}: {name}
            </a>
          </li>
        ))}
      </ul>
    </main>
  );
}
