import { Suspense } from 'react'
import { useStatus } from '#console/app/api/status.ts'
import { filledSlots } from '#console/app/filled-slots.ts'
import { useSignInText } from '#console/app/sign-in/text.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'

const buttons = filledSlots('signInButtons').map((slot, index) => ({
  key: index,
  ...slot,
  ...lazyPart(slot.load),
}))

/** The ways to sign in without a password that this installation has turned on; nothing while they show no button. */
export function SignInButtons() {
  const t = useSignInText()
  const status = useStatus()
  const offered = buttons.filter(({ isOffered }) => isOffered(status))
  if (offered.length === 0) return null
  return (
    <Suspense fallback={null}>
      <div className="hidden gap-2.5 has-[button]:grid">
        <p aria-hidden className="my-2.5 flex items-center gap-3 text-caption text-subtle">
          <span className="h-px flex-1 bg-line" />
          {t('or')}
          <span className="h-px flex-1 bg-line" />
        </p>
        {offered.map(({ key, Part }) => (
          <Part key={key} />
        ))}
      </div>
    </Suspense>
  )
}
