import { Suspense, useState } from 'react'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { useText } from '#console/ui/text/text.ts'
import type { User } from '#contract/entities/user.ts'
import { text } from './account-text.ts'

const list = lazyPart(async () => (await import('./budget-list.tsx')).AccountBudgets)

/** The budgets of the reader, on demand: most have none, and the page begins without their code. */
export function AccountBudgetsSection({ self }: { readonly self: User }) {
  const t = useText(text)
  const [isShown, setShown] = useState(false)
  if (isShown)
    return (
      <Suspense fallback={<Skeleton className="h-16 w-full" />}>
        <list.Part self={self} />
      </Suspense>
    )
  return (
    <Button
      size="small"
      className="justify-self-start"
      onPointerEnter={list.preload}
      onFocus={list.preload}
      onClick={() => setShown(true)}
    >
      {t('show')}
    </Button>
  )
}
