import { useMutation } from '@tanstack/react-query'
import { PartyPopper, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, updateSelf } from '#contract/entities/user.ts'
import { Button, IconButton } from '../../ui/buttons/buttons.tsx'
import { Banner } from '../../ui/feedback/feedback.tsx'
import { PasswordField } from '../../ui/forms/labelled-inputs.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { toast } from '../../ui/overlays/messages.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { call, plainErrorText } from '../api/call.ts'
import { rememberUser, type SessionUser } from '../session/session.ts'
import { useReminderText } from './reminder-text.ts'

const FORM = 'first-password'

interface PasswordDialogProps {
  readonly user: SessionUser
  readonly onClose: () => void
}

type Problem = 'passwordShort' | 'passwordLong' | 'passwordDiffers'

function passwordProblem(password: string, repeated: string): Problem | undefined {
  if (password.length < PASSWORD_LENGTH_MIN) return 'passwordShort'
  if (password.length > PASSWORD_LENGTH_MAX) return 'passwordLong'
  return password === repeated ? undefined : 'passwordDiffers'
}

/** Asks to replace the initial password that the gateway generated. */
export function PasswordDialog({ user, onClose }: PasswordDialogProps) {
  const t = useReminderText()
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
    const found = passwordProblem(password, repeated)
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
          <Button type="submit" form={FORM} variant="primary" isBusy={change.isPending}>
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
        <PasswordField
          label={t('passwordNew')}
          help={t('passwordHelp')}
          error={problem && !isDifferent ? t(problem) : undefined}
          autoComplete="new-password"
          value={password}
          onChange={event => setPassword(event.target.value)}
        />
        <PasswordField
          label={t('passwordRepeat')}
          error={isDifferent ? t(problem) : undefined}
          autoComplete="new-password"
          value={repeated}
          onChange={event => setRepeated(event.target.value)}
        />
      </form>
    </Dialog>
  )
}

const SPARKS = [
  'bg-series-1',
  'bg-series-2',
  'bg-series-3',
  'bg-series-4',
  'bg-series-6',
  'bg-series-8',
] as const

/** New Year greeting. Its animation respects reduced motion. */
export function NewYearGreeting({ onClose }: { readonly onClose: () => void }) {
  const t = useReminderText()
  const k = useKitText()
  return (
    <aside
      aria-label={t('newYear')}
      className="fixed bottom-4 left-4 z-20 flex items-start gap-3 overflow-hidden rounded-dialog border border-line bg-raised py-3 pr-2 pl-4 shadow-menu"
    >
      <span aria-hidden className="absolute inset-x-0 top-0 flex">
        {SPARKS.map(colour => (
          <span key={colour} className={`h-1 flex-1 animate-pulse ${colour}`} />
        ))}
      </span>
      <PartyPopper size={22} aria-hidden className="mt-0.5 text-accent" />
      <div>
        <p className="font-semibold">{t('newYear')}</p>
        <p className="text-muted">{t('newYearText')}</p>
      </div>
      <IconButton label={k('close')} icon={X} size="small" hasTooltip={false} onClick={onClose} />
    </aside>
  )
}
