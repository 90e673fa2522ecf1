import type { SlotFillings, Slots } from './slots.ts'

const modules = import.meta.glob<{ readonly slots: Slots }>('../../features/*/console/slots.tsx', {
  eager: true,
})

/** What the features add to a slot, in the order of their names. */
export const filledSlots = <Name extends keyof SlotFillings>(name: Name): ReadonlyArray<SlotFillings[Name]> =>
  Object.values(modules).flatMap(({ slots }) => slots[name] ?? [])
