import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { plainErrorText } from '../../app/call-error.ts'
import { HumanCheck } from '../../app/human-check.tsx'
import { useStatus } from '../../app/status.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'
import { useText } from '../../ui/text.ts'
import { TextInput } from '../../ui/text-input.tsx'
import { toast } from '../../ui/toast.ts'
import { useLogin } from './queries.ts'
import { text } from './text.ts'

/** User name and password. What is wrong stands above the fields and takes the focus. */
export function LoginForm() {
  const t = useText(text)
  const { turnstile_check: isChecked } = useStatus()
  const login = useLogin()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [turnstile, setTurnstile] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isCapsLock, setCapsLock] = useState(false)
  const alert = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (problem !== undefined) alert.current?.focus()
  }, [problem])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setProblem(undefined)
    if (username.trim() === '' || password === '') return setProblem(t('missing'))
    if (isChecked && !turnstile) return setProblem(t('checkRunning'))
    try {
      await login.mutateAsync({ username: username.trim(), password, turnstile })
      toast('success', t('done'))
    } catch (error) {
      setTurnstile(undefined)
      setProblem(plainErrorText(error))
    }
  }

  const noteCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))

  return (
    <form noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
      {problem !== undefined && (
        <div ref={alert} tabIndex={-1} className="rounded-card outline-none">
          <Banner tone="danger" isAlert>
            {problem}
          </Banner>
        </div>
      )}
      <Field label={t('username')}>
        {control => (
          <TextInput
            {...control}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            value={username}
            onChange={event => setUsername(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('password')} help={isCapsLock ? t('capsLock') : undefined}>
        {control => (
          <PasswordInput
            {...control}
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={event => setPassword(event.target.value)}
            onKeyUp={noteCapsLock}
          />
        )}
      </Field>
      {isChecked && <HumanCheck label={t('humanCheck')} token={turnstile} onToken={setTurnstile} />}
      <Button type="submit" look="primary" size="large" isBusy={login.isPending} className="w-full">
        {t('submit')}
      </Button>
    </form>
  )
}
