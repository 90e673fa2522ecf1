/** The part of the page that an opener stands in: its popup is put there too, so that it belongs to the same landmark. */
export const landmarkOf = (opener: HTMLElement | null): HTMLElement =>
  opener?.closest<HTMLElement>('[role=dialog], main, header') ?? document.body
