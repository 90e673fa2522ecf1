import { filledSlots } from '#console/app/filled-slots.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'

/** The sections of the user's own account, in display order. */
export const accountSections = filledSlots('accountSections')
  .toSorted((a, b) => a.order - b.order)
  .map(section => ({ ...section, ...lazyPart(section.load) }))
