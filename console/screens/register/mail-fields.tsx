import { plainErrorText } from '../../app/api/call.ts'
import { signInText } from '../../app/sign-in/text.ts'
import { useResendLock } from '../../app/sign-in/use-resend-lock.ts'
import { useStatus } from '../../app/api/status.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { useText } from '../../ui/text/text.ts'
import { TextInput } from '../../ui/forms/text-inputs.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { type Entries, mailProblem } from './entries.ts'
import { useMailCode } from './queries.ts'
import { text } from './text.ts'

interface MailFieldsProps {
  readonly entries: Entries
  readonly problemOf: (name: keyof Entries) => string | undefined
  readonly turnstile: string | undefined
  readonly onChange: (change: Partial<Entries>) => void
  /** A token of the human check is good once. */
  readonly onTokenSpent: () => void
  readonly onRefusal: (refusal: string | undefined) => void
}

/** An address, and the code that was mailed to it. */
export function MailFields(props: MailFieldsProps) {
  const { entries, problemOf, turnstile, onChange, onTokenSpent, onRefusal } = props
  const t = useText(text)
  const s = useText(signInText)
  const { turnstile_check: isChecked } = useStatus()
  const [seconds, lock] = useResendLock()
  const send = useMailCode()
  const sendCode = async () => {
    const problem = mailProblem(entries.email)
    if (problem) return onRefusal(t(problem))
    if (isChecked && !turnstile) return onRefusal(s('checkRunning'))
    onRefusal(undefined)
    try {
      await send.mutateAsync({ email: entries.email, turnstile })
      toast('success', t('codeSent'))
      lock()
    } catch (error) {
      onRefusal(plainErrorText(error))
    }
    if (isChecked) onTokenSpent()
  }
  return (
    <>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <Field label={t('email')} error={problemOf('email')}>
            {control => (
              <TextInput
                {...control}
                type="email"
                name="email"
                autoComplete="email"
                value={entries.email}
                onChange={event => onChange({ email: event.target.value })}
              />
            )}
          </Field>
        </div>
        <Button
          className="mt-6.5 min-w-28 coarse:h-11"
          isBusy={send.isPending}
          disabled={seconds > 0}
          onClick={() => void sendCode()}
        >
          {seconds > 0 ? s('resend', { count: seconds }) : t('getCode')}
        </Button>
      </div>
      <Field label={t('code')} error={problemOf('code')}>
        {control => (
          <TextInput
            {...control}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            value={entries.code}
            onChange={event => onChange({ code: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}
