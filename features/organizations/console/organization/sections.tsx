import { Suspense } from 'react'
import { filledSections } from '#console/app/filled-slots.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { useLanguage } from '#console/ui/text/text.ts'

const sections = filledSections('organization')

/** What features add to the page of an organisation, for those who manage it. */
export function OrganizationSections({ id }: { readonly id: number }) {
  const language = useLanguage()
  return sections.map(({ id: anchor, title, Part }) => (
    <section key={anchor} aria-label={title[language]} className="grid grid-cols-1 gap-4">
      <h2 className="text-section font-semibold">{title[language]}</h2>
      <Suspense fallback={<Skeleton className="h-16 w-full" />}>
        <Part id={id} />
      </Suspense>
    </section>
  ))
}
