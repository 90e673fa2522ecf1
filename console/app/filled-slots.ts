import { lazyPart } from '../ui/lazy-part.ts'
import type { SectionOf, SectionProps, SlotFillings, Slots } from './slots.ts'

const modules = import.meta.glob<{ readonly slots: Slots }>('../../features/*/console/slots.tsx', {
  eager: true,
})

/** Fillings of a slot, in the order of the features' names. */
export const filledSlots = <Name extends keyof SlotFillings>(name: Name): ReadonlyArray<SlotFillings[Name]> =>
  Object.values(modules).flatMap(({ slots }) => slots[name] ?? [])

type Section = SlotFillings['sections']

/** The sections of a page, in display order, each to be loaded when it is shown. */
export const filledSections = <Page extends keyof SectionProps>(page: Page) =>
  filledSlots('sections')
    .filter((section: Section): section is Section & SectionOf<Page> => section.of === page)
    .toSorted((a, b) => a.order - b.order)
    .map(section => ({ ...section, ...lazyPart<SectionProps[Page]>(section.load) }))
