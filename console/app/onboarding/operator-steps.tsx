import { Suspense } from 'react'
import { ROLE } from '#contract/enums.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useDismissed } from '../preferences/dismissed.ts'
import { useUser } from '../session/session.ts'

const DISMISSED_KEY = 'operator-checklist'

const checklist = lazyPart(async () => (await import('./operator-checklist.tsx')).OperatorChecklist)

/** A super administrator's steps before users come. Shown until all are done or dismissed. */
export function OperatorSteps({ isFolded = false }: { readonly isFolded?: boolean }) {
  const isRoot = useUser()?.role === ROLE.root
  const [isDismissed, dismiss] = useDismissed(DISMISSED_KEY)
  if (!isRoot || isDismissed) return null
  return (
    <Suspense fallback={null}>
      <checklist.Part isFolded={isFolded} onDismiss={() => dismiss(true)} />
    </Suspense>
  )
}
