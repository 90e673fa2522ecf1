import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { useStatus } from '#console/app/api/status.ts'
import { HumanCheck } from '#console/app/sign-in/human-check.tsx'
import { useResendLock } from '#console/app/sign-in/use-resend-lock.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useSelfMutations } from './queries.ts'
import { usePersonalText } from './text.ts'

type EmailErrors = { readonly email?: string; readonly code?: string }

/** Binds an email address with a verification code. Sending another code is locked for 30 seconds. */
export function EmailDialog({ onClose }: { readonly onClose: () => void }) {
  const t = usePersonalText()
  const form = useId()
  const { turnstile_check: needsTurnstile } = useStatus()
  const { sendCode, bindEmail } = useSelfMutations()
  const [email, setEmail] = useState('')
  const [code, setCode] = useState('')
  const [turnstile, setTurnstile] = useState<string>()
  const [errors, setErrors] = useState<EmailErrors>({})
  const [seconds, lock] = useResendLock()

  const send = async () => {
    if (email.trim() === '') return setErrors({ email: t('emailNeeded') })
    if (needsTurnstile && turnstile === undefined) return toast('info', t('checkRunning'))
    setErrors({})
    try {
      await sendCode.mutateAsync({ email: email.trim(), ...(turnstile ? { turnstile: turnstile } : {}) })
      lock()
      toast('success', t('codeSent'))
    } catch (error) {
      setErrors({ email: plainErrorText(error) })
    }
    setTurnstile(undefined)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const missing: EmailErrors = {
      ...(email.trim() === '' ? { email: t('emailNeeded') } : {}),
      ...(code.trim() === '' ? { code: t('codeNeeded') } : {}),
    }
    setErrors(missing)
    if (Object.keys(missing).length > 0) return
    try {
      await bindEmail.mutateAsync({ email: email.trim(), code: code.trim() })
      toast('success', t('bound'))
      onClose()
    } catch (error) {
      setErrors({ code: plainErrorText(error) })
    }
  }

  return (
    <Dialog
      title={t('emailTitle')}
      onClose={onClose}
      confirm={{ type: 'submit', form, isBusy: bindEmail.isPending, children: t('bind') }}
    >
      <form id={form} noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
        <InputField
          label={t('emailAddress')}
          error={errors.email}
          type="email"
          autoComplete="email"
          value={email}
          onChange={event => setEmail(event.target.value)}
        />
        {needsTurnstile && <HumanCheck label={t('humanCheck')} token={turnstile} onToken={setTurnstile} />}
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <InputField
              label={t('emailCode')}
              error={errors.code}
              autoComplete="one-time-code"
              value={code}
              onChange={event => setCode(event.target.value)}
            />
          </div>
          <Button
            className="mt-6.5"
            disabled={seconds > 0}
            isBusy={sendCode.isPending}
            onClick={() => void send()}
          >
            {seconds > 0 ? t('resendIn', { count: seconds }) : t('sendCode')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
