import { type FormEvent, useState } from 'react'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, type User } from '#contract/accounts/users.ts'
import { CallError, plainErrorText } from '../../../app/api/call.ts'
import { rememberUser } from '../../../app/session/session.ts'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { Button } from '../../../ui/buttons/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { PasswordInput } from '../../../ui/forms/text-inputs.tsx'
import { useText } from '../../../ui/text/text.ts'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useSelfWrites } from './queries.ts'
import { personalText } from './text.ts'

const ASKS_PASSWORD = 'user.confirm_password'
const EMPTY = { password: '', repeated: '', current: '' }

type Problem = 'passwordShort' | 'passwordLong' | 'passwordDiffers'

function problemOf(password: string, repeated: string): Problem | undefined {
  if (password.length < PASSWORD_LENGTH_MIN) return 'passwordShort'
  if (password.length > PASSWORD_LENGTH_MAX) return 'passwordLong'
  return password === repeated ? undefined : 'passwordDiffers'
}

/** A new password, typed twice; the current one too when the server asks for it. */
export function PasswordForm({ self }: { readonly self: User }) {
  const t = useText(personalText)
  const { change } = useSelfWrites()
  const [typed, setTyped] = useState(EMPTY)
  const [problem, setProblem] = useState<Problem>()
  const [refusal, setRefusal] = useState<string>()
  const [isAsked, setAsked] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { password, repeated, current } = typed
    const found = problemOf(password, repeated)
    setProblem(found)
    setRefusal(undefined)
    if (found) return
    try {
      await change.mutateAsync({ password, ...(current === '' ? {} : { original_password: current }) })
      rememberUser({ ...self, must_change_password: false })
      setTyped(EMPTY)
      setAsked(false)
      toast('success', t('passwordSaved'))
    } catch (error) {
      setAsked(isAsked || (error instanceof CallError && error.code === ASKS_PASSWORD))
      setRefusal(plainErrorText(error))
    }
  }
  const input = (name: keyof typeof EMPTY) => ({
    value: typed[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setTyped({ ...typed, [name]: event.target.value }),
  })
  const isDifferent = problem === 'passwordDiffers'
  return (
    <form noValidate className="grid max-w-100 gap-5" onSubmit={event => void submit(event)}>
      {refusal && (
        <Banner tone="danger" isAlert>
          {refusal}
        </Banner>
      )}
      <input type="text" name="username" autoComplete="username" value={self.username} readOnly hidden />
      {isAsked && (
        <Field label={t('currentPassword')} help={t('currentHelp')}>
          {control => <PasswordInput {...control} autoComplete="current-password" {...input('current')} />}
        </Field>
      )}
      <Field
        label={t('newPassword')}
        help={t('newPasswordHelp')}
        error={problem && !isDifferent ? t(problem) : undefined}
      >
        {control => <PasswordInput {...control} autoComplete="new-password" {...input('password')} />}
      </Field>
      <Field label={t('repeatPassword')} error={isDifferent ? t(problem) : undefined}>
        {control => <PasswordInput {...control} autoComplete="new-password" {...input('repeated')} />}
      </Field>
      <Button type="submit" className="justify-self-start" isBusy={change.isPending}>
        {t('savePassword')}
      </Button>
    </form>
  )
}
