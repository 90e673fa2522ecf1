import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { WhenSeen } from '#console/ui/when-seen.tsx'

const factors = lazyPart(async () => (await import('./factors.tsx')).Factors)

/** The section of the account, below the top. Its code and data load once the reader has scrolled near it. */
export const FactorsSection = () => (
  <WhenSeen placeholder={<Placeholder />}>
    <factors.Part />
  </WhenSeen>
)

/** As high as a sentence, a factor and two buttons. */
const Placeholder = () => (
  <div className="grid gap-5">
    <Skeleton className="h-5 w-full" />
    <Skeleton className="h-16 w-full" />
    <Skeleton className="h-9 w-72 max-w-full" />
  </div>
)
