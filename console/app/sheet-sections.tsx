import { Suspense } from 'react'
import { Skeleton } from '../ui/feedback/feedback.tsx'
import { SheetSection } from '../ui/overlays/sheet.tsx'
import { useLanguage } from '../ui/text/text.ts'
import { filledSections } from './filled-slots.ts'
import { hasRole, useUser } from './session/session.ts'

const SECTIONS = {
  token: filledSections('token'),
  user: filledSections('user'),
  channel: filledSections('channel'),
  redemption: filledSections('redemption'),
  member: filledSections('member'),
  project: filledSections('project'),
}

interface SheetSectionsProps {
  readonly of: keyof typeof SECTIONS
  /** Of the record whose sheet is open. */
  readonly id: number
}

/** What features add to a sheet. They save by themselves, not with the form of the sheet. */
export function SheetSections({ of, id }: SheetSectionsProps) {
  const language = useLanguage()
  const viewer = useUser()
  return SECTIONS[of]
    .filter(({ role }) => role === undefined || hasRole(viewer, role))
    .map(({ id: anchor, title, Part }) => (
      <SheetSection key={anchor} title={title[language]}>
        <Suspense fallback={<Skeleton className="h-16 w-full" />}>
          <Part id={id} />
        </Suspense>
      </SheetSection>
    ))
}
