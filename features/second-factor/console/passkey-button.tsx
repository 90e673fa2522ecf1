import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { call } from '#console/app/api/call.ts'
import { askForPasskey } from '#console/app/session/passkey.ts'
import { rememberUser } from '#console/app/session/session.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { signInWithFactor } from '#contract/accounts/second-factor.ts'
import { useFactorText } from './text.ts'

/** Signs in with a passkey alone. The sign-in page goes on once somebody is signed in. */
export function PasskeyButton() {
  const t = useFactorText()
  const signIn = useMutation({
    mutationFn: async () => call(signInWithFactor, { body: await askForPasskey({ isAlone: true }) }),
    onSuccess: rememberUser,
  })
  return (
    <Button
      size="large"
      icon={KeyRound}
      className="w-full"
      isBusy={signIn.isPending}
      onClick={() => signIn.mutate()}
    >
      {t('signIn')}
    </Button>
  )
}
