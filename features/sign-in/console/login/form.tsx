import { type FormEvent, type KeyboardEvent, Suspense, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { useStatus } from '#console/app/api/status.ts'
import { FormErrorBanner } from '#console/app/sign-in/sign-in-page.tsx'
import { useSignInText } from '#console/app/sign-in/text.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Field, PasswordInput, TextInput } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useLogin } from './queries.ts'
import { useScreenText } from './text.ts'

const humanCheck = lazyPart(async () => (await import('#console/app/sign-in/human-check.tsx')).HumanCheck)

/** Username and password form. Errors are shown above the fields and take the focus. */
export function LoginForm() {
  const t = useScreenText()
  const s = useSignInText()
  const { turnstile_check: isChecked } = useStatus()
  const login = useLogin()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [turnstile, setTurnstile] = useState<string>()
  const [error, setError] = useState<string>()
  const [isCapsLock, setCapsLock] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    if (username.trim() === '' || password === '') return setError(t('missing'))
    if (isChecked && !turnstile) return setError(s('checkRunning'))
    try {
      await login.mutateAsync({ username: username.trim(), password, turnstile })
      toast('success', t('done'))
    } catch (error) {
      setTurnstile(undefined)
      setError(plainErrorText(error))
    }
  }

  const updateCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))

  return (
    <form noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
      {error !== undefined && <FormErrorBanner error={error} />}
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
            onKeyUp={updateCapsLock}
          />
        )}
      </Field>
      {isChecked && (
        <Suspense fallback={null}>
          <humanCheck.Part label={s('humanCheck')} token={turnstile} onToken={setTurnstile} />
        </Suspense>
      )}
      <Button type="submit" variant="primary" size="large" isBusy={login.isPending} className="w-full">
        {t('submit')}
      </Button>
    </form>
  )
}
