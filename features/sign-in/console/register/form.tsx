import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { useStatus } from '#console/app/api/status.ts'
import { HumanCheck } from '#console/app/sign-in/human-check.tsx'
import { FormErrorBanner } from '#console/app/sign-in/sign-in-page.tsx'
import { useSignInText } from '#console/app/sign-in/text.ts'
import { useResendLock } from '#console/app/sign-in/use-resend-lock.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Field, PasswordInput, TextInput } from '#console/ui/forms/fields.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { EMPTY_VALUES, type RegisterValues, validate, validateEmail } from './form-schema.ts'
import { useRegister, useSendCode } from './queries.ts'
import { useScreenText } from './text.ts'

/** Sign-up form. Field errors appear once a field was left. `next`: page to open after signing in, empty for none. */
export function RegisterForm({ next }: { readonly next: string }) {
  const t = useScreenText()
  const s = useSignInText()
  const navigate = useNavigate()
  const { email_verification: needsEmail, turnstile_check: isChecked } = useStatus()
  const send = useRegister()
  const [values, setValues] = useState(EMPTY_VALUES)
  const [touched, setTouched] = useState<ReadonlySet<keyof RegisterValues>>(new Set())
  const [formError, setFormError] = useState<string>()
  const [turnstile, setTurnstile] = useState<string>()
  const [isCapsLock, setCapsLock] = useState(false)

  const errors = validate(values, needsEmail)
  const errorOf = (name: keyof RegisterValues) => {
    const word = errors[name]
    return word && touched.has(name) ? t(word) : undefined
  }
  const set = (name: keyof RegisterValues) => (value: string) => setValues({ ...values, [name]: value })
  const touch = (name: keyof RegisterValues) => () => {
    if (values[name] !== '') setTouched(new Set([...touched, name]))
  }
  const updateCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setFormError(undefined)
    setTouched(new Set(['username', 'password', 'password2', 'email', 'verificationCode']))
    const [first] = Object.values(errors)
    if (first) return setFormError(t(first))
    if (isChecked && !turnstile) return setFormError(s('checkRunning'))
    try {
      await send.mutateAsync({ values, turnstile })
      toast('success', t('done'))
      await navigate({ to: '/login', search: { next } })
    } catch (error) {
      setTurnstile(undefined)
      setFormError(plainErrorText(error))
    }
  }

  return (
    <form noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
      {formError !== undefined && <FormErrorBanner error={formError} />}
      <Field label={t('username')} help={t('usernameHelp')} error={errorOf('username')}>
        {control => (
          <TextInput
            {...control}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            value={values.username}
            onBlur={touch('username')}
            onChange={event => set('username')(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={t('password')}
        help={isCapsLock ? t('capsLock') : undefined}
        error={errorOf('password')}
        aside={values.password !== '' && t('length', { count: values.password.length })}
      >
        {control => (
          <PasswordInput
            {...control}
            name="password"
            autoComplete="new-password"
            placeholder={t('passwordPlaceholder')}
            value={values.password}
            onKeyUp={updateCapsLock}
            onBlur={touch('password')}
            onChange={event => set('password')(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('repeat')} error={errorOf('password2')}>
        {control => (
          <PasswordInput
            {...control}
            name="password2"
            autoComplete="new-password"
            value={values.password2}
            onBlur={touch('password2')}
            onChange={event => set('password2')(event.target.value)}
          />
        )}
      </Field>
      {needsEmail && (
        <EmailFields
          values={values}
          errorOf={errorOf}
          turnstile={turnstile}
          onChange={change => setValues({ ...values, ...change })}
          onTokenSpent={() => setTurnstile(undefined)}
          onError={setFormError}
        />
      )}
      {isChecked && <HumanCheck label={s('humanCheck')} token={turnstile} onToken={setTurnstile} />}
      <Button type="submit" variant="primary" size="large" isBusy={send.isPending} className="w-full">
        {t('submit')}
      </Button>
    </form>
  )
}

interface EmailFieldsProps {
  readonly values: RegisterValues
  readonly errorOf: (name: keyof RegisterValues) => string | undefined
  readonly turnstile: string | undefined
  readonly onChange: (change: Partial<RegisterValues>) => void
  /** A Turnstile token works once; the one that had the code mailed serves the registration too. */
  readonly onTokenSpent: () => void
  readonly onError: (formError: string | undefined) => void
}

/** Email address and its verification code. */
function EmailFields(props: EmailFieldsProps) {
  const { values, errorOf, turnstile, onChange, onTokenSpent, onError } = props
  const t = useScreenText()
  const s = useSignInText()
  const { turnstile_check: isChecked } = useStatus()
  const [seconds, lock] = useResendLock()
  const send = useSendCode()
  const sendCode = async () => {
    const problem = validateEmail(values.email)
    if (problem) return onError(t(problem))
    if (isChecked && !turnstile) return onError(s('checkRunning'))
    onError(undefined)
    try {
      await send.mutateAsync({ email: values.email, turnstile })
      toast('success', t('codeSent'))
      lock()
    } catch (error) {
      onError(plainErrorText(error))
      if (isChecked) onTokenSpent()
    }
  }
  return (
    <>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <Field label={t('email')} error={errorOf('email')}>
            {control => (
              <TextInput
                {...control}
                type="email"
                name="email"
                autoComplete="email"
                value={values.email}
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
      <Field label={t('code')} error={errorOf('verificationCode')}>
        {control => (
          <TextInput
            {...control}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            value={values.verificationCode}
            onChange={event => onChange({ verificationCode: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}
