import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { type FormEvent, Suspense, useState } from 'react'
import { CallError, plainErrorText } from '#console/app/api/call.ts'
import { dropDrafts } from '#console/app/forms/drafts.ts'
import { forgetUser, hasRole, rememberUser } from '#console/app/session/session.ts'
import { dropUserData } from '#console/app/session/user-storage.ts'
import { Button, copyText } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Field, PasswordInput } from '#console/ui/forms/fields.tsx'
import { SecretField } from '#console/ui/forms/secret-field.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { Token } from '#contract/entities/token.ts'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, type User } from '#contract/entities/user.ts'
import { fetchRecentTokens, useSelfMutations } from './queries.ts'
import { usePersonalText } from './text.ts'

const tokenReview = lazyPart(async () => (await import('./token-review-dialog.tsx')).TokenReviewDialog)

const CONFIRM_PASSWORD_CODE = 'user.confirm_password'
const EMPTY = { password: '', repeated: '', current: '' }

type Problem = 'passwordShort' | 'passwordLong' | 'passwordDiffers'

function passwordProblem(password: string, repeated: string): Problem | undefined {
  if (password.length < PASSWORD_LENGTH_MIN) return 'passwordShort'
  if (password.length > PASSWORD_LENGTH_MAX) return 'passwordLong'
  return password === repeated ? undefined : 'passwordDiffers'
}

/** Changes the password. Asks for the current one only when the server requires it. */
export function PasswordForm({ self }: { readonly self: User }) {
  const t = usePersonalText()
  const { updateProfile } = useSelfMutations()
  const [typed, setTyped] = useState(EMPTY)
  const [problem, setProblem] = useState<Problem>()
  const [formError, setFormError] = useState<string>()
  const [needsCurrent, setNeedsCurrent] = useState(false)
  const [recentTokens, setRecentTokens] = useState<readonly Token[]>([])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { password, repeated, current } = typed
    const found = passwordProblem(password, repeated)
    setProblem(found)
    setFormError(undefined)
    if (found) return
    try {
      await updateProfile.mutateAsync({ password, ...(current === '' ? {} : { original_password: current }) })
      rememberUser({ ...self, must_change_password: false })
      setTyped(EMPTY)
      setNeedsCurrent(false)
      toast('success', t('passwordSaved'))
      // The password is changed either way: without the list there is only nothing to offer.
      setRecentTokens(await fetchRecentTokens().catch(() => []))
    } catch (error) {
      setNeedsCurrent(needsCurrent || (error instanceof CallError && error.code === CONFIRM_PASSWORD_CODE))
      setFormError(plainErrorText(error))
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
      {formError && (
        <Banner tone="danger" isAlert>
          {formError}
        </Banner>
      )}
      <input type="text" name="username" autoComplete="username" value={self.username} readOnly hidden />
      {needsCurrent && (
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
      <Button type="submit" className="justify-self-start" isBusy={updateProfile.isPending}>
        {t('savePassword')}
      </Button>
      <Suspense fallback={null}>
        {recentTokens.length > 0 && (
          <tokenReview.Part tokens={recentTokens} onClose={() => setRecentTokens([])} />
        )}
      </Suspense>
    </form>
  )
}

/** Resets the system access token and shows the new one once. */
export function AccessToken() {
  const t = usePersonalText()
  const { resetToken } = useSelfMutations()
  const [token, setToken] = useState<string>()
  const make = async () => {
    if (!(await confirm({ title: t('makeTitle'), text: t('makeText'), action: t('makeToken') }))) return
    resetToken.mutate(undefined, {
      onSuccess: async newToken => {
        setToken(newToken)
        toast('success', t((await copyText(newToken)) ? 'tokenCopied' : 'tokenMade'))
      },
    })
  }
  return (
    <>
      <p className="text-small text-muted">{t('tokenHelp')}</p>
      {token !== undefined && (
        <>
          <Banner tone="warning">{t('tokenOnce')}</Banner>
          <SecretField secret={token} label={t('token')} />
        </>
      )}
      <Button className="justify-self-start" isBusy={resetToken.isPending} onClick={() => void make()}>
        {t('makeToken')}
      </Button>
    </>
  )
}

/** Deletes the user's own account after typing the username. */
export function DeleteAccount({ self }: { readonly self: User }) {
  const t = usePersonalText()
  const navigate = useNavigate()
  const { deleteAccount } = useSelfMutations()
  const { username: name } = self
  if (hasRole(self, 'root')) return <p className="text-small text-muted">{t('rootStays')}</p>
  const ask = async () => {
    const isSure = await confirm({
      title: t('deleteTitle', { name }),
      text: t('deleteText'),
      action: t('deleteAccount'),
      isDanger: true,
      typedConfirmation: { text: name, label: t('deleteTyped', { name }) },
    })
    if (!isSure) return
    deleteAccount.mutate(name, {
      onSuccess: () => {
        forgetUser()
        dropDrafts()
        dropUserData()
        toast('success', t('deleted'))
        void navigate({ to: '/login', ignoreBlocker: true })
      },
    })
  }
  return (
    <>
      <p className="text-small text-muted">{t('deleteHelp')}</p>
      <Button
        variant="danger-text"
        icon={Trash2}
        className="-ml-3.5 justify-self-start"
        isBusy={deleteAccount.isPending}
        onClick={() => void ask()}
      >
        {t('deleteAccount')}
      </Button>
    </>
  )
}
