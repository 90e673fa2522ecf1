import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { WhenSeen } from '#console/ui/when-seen.tsx'
import type { User } from '#contract/entities/user.ts'

const sessions = lazyPart(async () => (await import('./sessions.tsx')).Sessions)

/** The section of the account, far below the top. Its code and data load once the reader has scrolled near it. */
export const SessionsSection = ({ self }: { readonly self: User }) => (
  <WhenSeen placeholder={<Placeholder />}>
    <sessions.Part self={self} />
  </WhenSeen>
)

/** As high as a sentence and one session. */
const Placeholder = () => (
  <div className="grid gap-5">
    <Skeleton className="h-5 w-full" />
    <Skeleton className="h-16 w-full" />
  </div>
)
