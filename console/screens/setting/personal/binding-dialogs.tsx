import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '../../../app/api/call.ts'
import { useStatus } from '../../../app/api/status.ts'
import { HumanCheck } from '../../../app/sign-in/human-check.tsx'
import { TelegramWidget } from '../../../app/sign-in/telegram-widget.tsx'
import { useResendLock } from '../../../app/sign-in/use-resend-lock.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Field, TextInput } from '../../../ui/forms/field.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useKitText } from '../../../ui/text/kit-text.ts'
import { useText } from '../../../ui/text/text.ts'
import { useSelfWrites } from './queries.ts'
import { personalText } from './text.ts'

type Problems = { readonly email?: string; readonly code?: string }

/** Binds an address that a mailed code proves. The next mail waits half a minute. */
export function EmailDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText(personalText)
  const k = useKitText()
  const form = useId()
  const { turnstile_check: needsHuman } = useStatus()
  const { sendCode, bindEmail } = useSelfWrites()
  const [email, setEmail] = useState('')
  const [code, setCode] = useState('')
  const [human, setHuman] = useState<string>()
  const [problems, setProblems] = useState<Problems>({})
  const [seconds, lock] = useResendLock()

  const send = async () => {
    if (email.trim() === '') return setProblems({ email: t('emailNeeded') })
    if (needsHuman && human === undefined) return toast('info', t('checkRunning'))
    setProblems({})
    try {
      await sendCode.mutateAsync({ email: email.trim(), ...(human ? { turnstile: human } : {}) })
      lock()
      toast('success', t('codeSent'))
    } catch (error) {
      setProblems({ email: plainErrorText(error) })
    }
    setHuman(undefined)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const needed: Problems = {
      ...(email.trim() === '' ? { email: t('emailNeeded') } : {}),
      ...(code.trim() === '' ? { code: t('codeNeeded') } : {}),
    }
    setProblems(needed)
    if (Object.keys(needed).length > 0) return
    try {
      await bindEmail.mutateAsync({ email: email.trim(), code: code.trim() })
      toast('success', t('bound'))
      onClose()
    } catch (error) {
      setProblems({ code: plainErrorText(error) })
    }
  }

  return (
    <Dialog
      title={t('emailTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button type="submit" form={form} look="primary" isBusy={bindEmail.isPending}>
            {t('bind')}
          </Button>
        </>
      }
    >
      <form id={form} noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
        <Field label={t('emailAddress')} error={problems.email}>
          {control => (
            <TextInput
              {...control}
              type="email"
              autoComplete="email"
              value={email}
              onChange={event => setEmail(event.target.value)}
            />
          )}
        </Field>
        {needsHuman && <HumanCheck label={t('humanCheck')} token={human} onToken={setHuman} />}
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Field label={t('emailCode')} error={problems.code}>
              {control => (
                <TextInput
                  {...control}
                  autoComplete="one-time-code"
                  value={code}
                  onChange={event => setCode(event.target.value)}
                />
              )}
            </Field>
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

/** Telegram's own button; it leads back here with the account bound. */
export function TelegramDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText(personalText)
  return (
    <Dialog title={t('telegramTitle')} onClose={onClose}>
      <TelegramWidget />
    </Dialog>
  )
}
