import { useId } from 'react'
import { signInWithFactor } from '#contract/accounts/second-factor.ts'
import type { User } from '#contract/entities/user.ts'
import { Button } from '../../ui/buttons/buttons.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { call } from '../api/call.ts'
import { FactorForm } from './factor-form.tsx'
import { useReauthenticationText } from './reauthentication-text.ts'

/** The second step of a sign-in. */
export function FactorDialog({ onDone }: { readonly onDone: (user: User | undefined) => void }) {
  const t = useReauthenticationText()
  const k = useKitText()
  const form = useId()
  return (
    <Dialog
      title={t('factorTitle')}
      onClose={() => onDone(undefined)}
      footer={
        <>
          <Button onClick={() => onDone(undefined)}>{k('cancel')}</Button>
          <Button type="submit" form={form} variant="primary">
            {t('factorSubmit')}
          </Button>
        </>
      }
    >
      <p className="mb-4 text-muted">{t('factorWhy')}</p>
      <FactorForm
        id={form}
        kinds={['passkey', 'totp']}
        takesRecovery
        onGiven={async given => onDone(await call(signInWithFactor, { body: given }))}
      />
    </Dialog>
  )
}
