import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, updateSelf } from '#contract/users.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { PasswordInput } from '../ui/password-input.tsx'
import { useText } from '../ui/text.ts'
import { toast } from '../ui/toast.ts'
import { appText } from './app-text.ts'
import { call } from './call.ts'
import { plainErrorText } from './call-error.ts'
import { rememberUser, type SessionUser } from './session.ts'

const FORM = 'first-password'

interface PasswordDialogProps {
  readonly user: SessionUser
  readonly onClose: () => void
}

type Problem = 'passwordShort' | 'passwordLong' | 'passwordDiffers'

function problemOf(password: string, repeated: string): Problem | undefined {
  if (password.length < PASSWORD_LENGTH_MIN) return 'passwordShort'
  if (password.length > PASSWORD_LENGTH_MAX) return 'passwordLong'
  return password === repeated ? undefined : 'passwordDiffers'
}

/** Asks for a new password in place of the one that the gateway made. */
export function PasswordDialog({ user, onClose }: PasswordDialogProps) {
  const t = useText(appText)
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const change = useMutation({
    meta: { isQuiet: true },
    mutationFn: () => call(updateSelf, { body: { password } }),
    onSuccess: () => {
      rememberUser({ ...user, must_change_password: false })
      toast('success', t('passwordSaved'))
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = problemOf(password, repeated)
    setProblem(found)
    if (!found) change.mutate()
  }
  const isDifferent = problem === 'passwordDiffers'
  return (
    <Dialog
      title={t('passwordTitle')}
      onClose={onClose}
      isPersistent
      footer={
        <>
          <Button onClick={onClose}>{t('passwordLater')}</Button>
          <Button type="submit" form={FORM} look="primary" isBusy={change.isPending}>
            {t('passwordSave')}
          </Button>
        </>
      }
    >
      <form id={FORM} noValidate className="grid gap-5" onSubmit={submit}>
        <p className="text-muted">{t('passwordText')}</p>
        {change.error && (
          <Banner tone="danger" isAlert>
            {plainErrorText(change.error)}
          </Banner>
        )}
        <input type="text" name="username" autoComplete="username" value={user.username} readOnly hidden />
        <Field
          label={t('passwordNew')}
          help={t('passwordHelp')}
          error={problem && !isDifferent ? t(problem) : undefined}
        >
          {control => (
            <PasswordInput
              {...control}
              autoComplete="new-password"
              value={password}
              onChange={event => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Field label={t('passwordRepeat')} error={isDifferent ? t(problem) : undefined}>
          {control => (
            <PasswordInput
              {...control}
              autoComplete="new-password"
              value={repeated}
              onChange={event => setRepeated(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}
