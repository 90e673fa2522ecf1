import type { SlotFillings, Slots } from './slots.ts'

const modules = import.meta.glob<{ readonly slots: Slots }>('../../features/*/console/slots.tsx', {
  eager: true,
})

/** Fillings of a slot, in the order of the features' names. */
export const filledSlots = <Name extends keyof SlotFillings>(name: Name): ReadonlyArray<SlotFillings[Name]> =>
  Object.values(modules).flatMap(({ slots }) => slots[name] ?? [])
