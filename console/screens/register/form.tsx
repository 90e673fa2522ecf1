import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { plainErrorText } from '../../app/api/call.ts'
import { useStatus } from '../../app/api/status.ts'
import { HumanCheck } from '../../app/sign-in/human-check.tsx'
import { ProblemBanner } from '../../app/sign-in/sign-in-page.tsx'
import { signInText } from '../../app/sign-in/text.ts'
import { useResendLock } from '../../app/sign-in/use-resend-lock.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Field, PasswordInput, TextInput } from '../../ui/forms/field.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useText } from '../../ui/text/text.ts'
import { type Entries, mailProblem, NO_ENTRIES, problemsIn } from './form-schema.ts'
import { useMailCode, useRegister } from './queries.ts'
import { text } from './text.ts'

/** What a new account needs. Each rule is said at its field, once the reader has left it. */
export function RegisterForm() {
  const t = useText(text)
  const s = useText(signInText)
  const navigate = useNavigate()
  const { email_verification: needsMail, turnstile_check: isChecked } = useStatus()
  const send = useRegister()
  const [entries, setEntries] = useState(NO_ENTRIES)
  const [left, setLeft] = useState<ReadonlySet<keyof Entries>>(new Set())
  const [refusal, setRefusal] = useState<string>()
  const [turnstile, setTurnstile] = useState<string>()
  const [isCapsLock, setCapsLock] = useState(false)

  const problems = problemsIn(entries, needsMail)
  const problemOf = (name: keyof Entries) => {
    const word = problems[name]
    return word && left.has(name) ? t(word) : undefined
  }
  const set = (name: keyof Entries) => (value: string) => setEntries({ ...entries, [name]: value })
  const leave = (name: keyof Entries) => () => {
    if (entries[name] !== '') setLeft(new Set([...left, name]))
  }
  const noteCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setRefusal(undefined)
    setLeft(new Set(['username', 'password', 'repeat', 'email', 'code']))
    const [first] = Object.values(problems)
    if (first) return setRefusal(t(first))
    if (isChecked && !turnstile) return setRefusal(s('checkRunning'))
    try {
      await send.mutateAsync({ entries, turnstile })
      toast('success', t('done'))
      await navigate({ to: '/login' })
    } catch (error) {
      setTurnstile(undefined)
      setRefusal(plainErrorText(error))
    }
  }

  return (
    <form noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
      {refusal !== undefined && <ProblemBanner problem={refusal} />}
      <Field label={t('username')} help={t('usernameHelp')} error={problemOf('username')}>
        {control => (
          <TextInput
            {...control}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            value={entries.username}
            onBlur={leave('username')}
            onChange={event => set('username')(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={t('password')}
        help={isCapsLock ? t('capsLock') : undefined}
        error={problemOf('password')}
        aside={entries.password !== '' && t('length', { count: entries.password.length })}
      >
        {control => (
          <PasswordInput
            {...control}
            name="password"
            autoComplete="new-password"
            placeholder={t('passwordPlaceholder')}
            value={entries.password}
            onKeyUp={noteCapsLock}
            onBlur={leave('password')}
            onChange={event => set('password')(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('repeat')} error={problemOf('repeat')}>
        {control => (
          <PasswordInput
            {...control}
            name="password2"
            autoComplete="new-password"
            value={entries.repeat}
            onBlur={leave('repeat')}
            onChange={event => set('repeat')(event.target.value)}
          />
        )}
      </Field>
      {needsMail && (
        <MailFields
          entries={entries}
          problemOf={problemOf}
          turnstile={turnstile}
          onChange={change => setEntries({ ...entries, ...change })}
          onTokenSpent={() => setTurnstile(undefined)}
          onRefusal={setRefusal}
        />
      )}
      {isChecked && <HumanCheck label={s('humanCheck')} token={turnstile} onToken={setTurnstile} />}
      <Button type="submit" look="primary" size="large" isBusy={send.isPending} className="w-full">
        {t('submit')}
      </Button>
    </form>
  )
}

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
function MailFields(props: MailFieldsProps) {
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
