import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { WhenSeen } from '#console/ui/when-seen.tsx'
import type { User } from '#contract/entities/user.ts'

const list = lazyPart(async () => (await import('./budget-list.tsx')).AccountBudgets)

/** The budgets of the reader. Most have none, so the page begins without their code. */
export const AccountBudgetsSection = ({ self }: { readonly self: User }) => (
  <WhenSeen placeholder={<Placeholder />}>
    <list.Part self={self} />
  </WhenSeen>
)

/** As high as one budget: its amount, its meter and when it resets. */
const Placeholder = () => (
  <div className="grid gap-2 rounded-card border border-line p-3">
    <Skeleton className="h-5 w-40" />
    <Skeleton className="h-2 w-full" />
    <Skeleton className="h-4 w-24" />
  </div>
)
