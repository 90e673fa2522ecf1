import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { WhenSeen } from '#console/ui/when-seen.tsx'
import type { User } from '#contract/entities/user.ts'

const sessions = lazyPart(async () => (await import('./sessions.tsx')).Sessions)

/** The section of the account, far below the top. Its code and data load once the reader has scrolled near it. */
export const SessionsSection = ({ self }: { readonly self: User }) => (
  <WhenSeen placeholder={<Skeleton className="h-24 w-full" />}>
    <sessions.Part self={self} />
  </WhenSeen>
)
