import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { WhenSeen } from '#console/ui/when-seen.tsx'

const links = lazyPart(async () => (await import('./links.tsx')).OpenIdLinks)

/** The section of the account, whose code and data load once the reader has scrolled near it. */
export const OpenIdSection = () => (
  <WhenSeen placeholder={<Skeleton className="h-16 w-full" />}>
    <links.Part />
  </WhenSeen>
)
