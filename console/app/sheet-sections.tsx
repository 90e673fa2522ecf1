import { Suspense } from 'react'
import { Skeleton } from '../ui/feedback/feedback.tsx'
import { SheetSection } from '../ui/overlays/sheet.tsx'
import { useLanguage } from '../ui/text/text.ts'
import { filledSections } from './filled-slots.ts'

const SECTIONS = { token: filledSections('token'), user: filledSections('user') }

interface SheetSectionsProps {
  readonly of: keyof typeof SECTIONS
  /** Of the token or user whose sheet is open. */
  readonly id: number
}

/** What features add to a sheet. They save by themselves, not with the form of the sheet. */
export function SheetSections({ of, id }: SheetSectionsProps) {
  const language = useLanguage()
  return SECTIONS[of].map(({ id: anchor, title, Part }) => (
    <SheetSection key={anchor} title={title[language]}>
      <Suspense fallback={<Skeleton className="h-16 w-full" />}>
        <Part id={id} />
      </Suspense>
    </SheetSection>
  ))
}
