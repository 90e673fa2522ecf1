import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { plainErrorText } from '#console/app/api/call.ts'
import { useStatus } from '#console/app/api/status.ts'
import { HumanCheck } from '#console/app/sign-in/human-check.tsx'
import { FormErrorBanner, SIGN_IN_LINK, SignInPage } from '#console/app/sign-in/sign-in-page.tsx'
import { useSignInText } from '#console/app/sign-in/text.ts'
import { useResendLock } from '#console/app/sign-in/use-resend-lock.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Field, TextInput } from '#console/ui/forms/fields.tsx'
import { useSendReset } from './queries.ts'
import { useScreenText } from './text.ts'

export function ResetPage() {
  const t = useScreenText()
  return (
    <SignInPage
      heading={t('heading')}
      below={
        <Link to="/login" className={SIGN_IN_LINK}>
          {t('login')}
        </Link>
      }
    >
      <ResetForm />
    </SignInPage>
  )
}

/** Requests a reset link. Sending another email is locked for 30 seconds. */
function ResetForm() {
  const t = useScreenText()
  const s = useSignInText()
  const { turnstile_check: isChecked } = useStatus()
  const send = useSendReset()
  const [email, setEmail] = useState('')
  const [turnstile, setTurnstile] = useState<string>()
  const [error, setError] = useState<string>()
  const [seconds, lock] = useResendLock()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    if (address === '') return setError(t('emailNeeded'))
    if (!z.email().safeParse(address).success) return setError(t('emailWrong'))
    if (isChecked && !turnstile) return setError(s('checkRunning'))
    setError(undefined)
    try {
      await send.mutateAsync({ email: address, turnstile })
      lock()
    } catch (error) {
      setError(plainErrorText(error))
    }
    setTurnstile(undefined)
  }
  return (
    <form noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
      {error !== undefined && <FormErrorBanner error={error} />}
      {send.isSuccess && error === undefined && (
        <div role="status">
          <Banner tone="success">{t('sent')}</Banner>
        </div>
      )}
      <p className="text-muted">{t('intro')}</p>
      <Field label={t('email')}>
        {control => (
          <TextInput
            {...control}
            type="email"
            name="email"
            autoComplete="email"
            value={email}
            onChange={event => setEmail(event.target.value)}
          />
        )}
      </Field>
      {isChecked && <HumanCheck label={s('humanCheck')} token={turnstile} onToken={setTurnstile} />}
      <Button
        type="submit"
        variant="primary"
        size="large"
        isBusy={send.isPending}
        disabled={seconds > 0}
        className="w-full"
      >
        {seconds > 0 ? s('resend', { count: seconds }) : t('submit')}
      </Button>
    </form>
  )
}
