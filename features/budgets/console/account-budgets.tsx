import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { WhenSeen } from '#console/ui/when-seen.tsx'
import type { User } from '#contract/entities/user.ts'

const list = lazyPart(async () => (await import('./budget-list.tsx')).AccountBudgets)

/** The budgets of the reader. Most have none, so the page begins without their code. */
export const AccountBudgetsSection = ({ self }: { readonly self: User }) => (
  <WhenSeen placeholder={<Skeleton className="h-16 w-full" />}>
    <list.Part self={self} />
  </WhenSeen>
)
