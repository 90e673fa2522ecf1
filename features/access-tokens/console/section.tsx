import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { WhenSeen } from '#console/ui/when-seen.tsx'
import type { User } from '#contract/entities/user.ts'

const tokens = lazyPart(async () => (await import('./access-tokens.tsx')).AccessTokens)

/** The section of the account, below the top. Its code and data load once the reader has scrolled near it. */
export const AccessTokensSection = ({ self }: { readonly self: User }) => (
  <WhenSeen placeholder={<Placeholder />}>
    <tokens.Part self={self} />
  </WhenSeen>
)

/** As high as a sentence and a button. */
const Placeholder = () => (
  <div className="grid gap-5">
    <Skeleton className="h-5 w-full" />
    <Skeleton className="h-9 w-40 max-w-full" />
  </div>
)
