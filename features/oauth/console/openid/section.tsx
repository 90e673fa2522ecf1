import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { WhenSeen } from '#console/ui/when-seen.tsx'

const links = lazyPart(async () => (await import('./links.tsx')).OpenIdLinks)

/**
 * The section of the account. Its code and data load once the reader has scrolled near it: few people link a provider, and
 * everybody opens the account.
 */
export const OpenIdSection = () => (
  <WhenSeen placeholder={<Placeholder />}>
    <links.Part />
  </WhenSeen>
)

/** As high as a sentence and a button. */
const Placeholder = () => (
  <div className="grid gap-3">
    <Skeleton className="h-5 w-48" />
    <Skeleton className="h-9 w-32" />
  </div>
)
