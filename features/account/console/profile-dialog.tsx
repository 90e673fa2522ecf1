import { type FormEvent, useId, useState } from 'react'
import { CallError, plainErrorText } from '#console/app/api/call.ts'
import { issueText } from '#console/app/forms/issue-text.ts'
import { rememberUser } from '#console/app/session/session.ts'
import { InputField, PasswordField } from '#console/ui/forms/labelled-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { SelfChange, type User } from '#contract/entities/user.ts'
import { useSelfMutations } from './queries.ts'
import { usePersonalText } from './text.ts'

const CONFIRM_PASSWORD_CODE = 'user.confirm_password'

interface ProfileDialogProps {
  readonly self: User
  readonly onClose: () => void
}

/** Edits the username and display name. The server may require the current password. */
export function ProfileDialog({ self, onClose }: ProfileDialogProps) {
  const t = usePersonalText()
  const k = useKitText()
  const form = useId()
  const { updateProfile } = useSelfMutations()
  const [username, setUsername] = useState(self.username)
  const [displayName, setDisplayName] = useState(self.display_name)
  const [password, setPassword] = useState('')
  const [needsPassword, setNeedsPassword] = useState(false)
  const [error, setError] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (username.trim() === '') return setError(t('usernameNeeded'))
    const change = SelfChange.safeParse({
      username,
      display_name: displayName,
      ...(password === '' ? {} : { original_password: password }),
    })
    const [issue] = change.error?.issues ?? []
    if (!change.success) return setError(issue && issueText(issue))
    try {
      await updateProfile.mutateAsync(change.data)
      rememberUser({ ...self, username: username.trim(), display_name: displayName.trim() })
      toast('success', t('profileSaved'))
      onClose()
    } catch (failure) {
      setNeedsPassword(
        needsPassword || (failure instanceof CallError && failure.code === CONFIRM_PASSWORD_CODE),
      )
      setError(plainErrorText(failure))
    }
  }
  return (
    <Dialog
      title={t('editProfile')}
      onClose={onClose}
      confirm={{ type: 'submit', form, isBusy: updateProfile.isPending, children: k('save') }}
    >
      <form id={form} noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
        <InputField
          label={t('username')}
          error={error}
          isRequired
          value={username}
          onChange={event => setUsername(event.target.value)}
        />
        <InputField
          label={t('displayName')}
          value={displayName}
          onChange={event => setDisplayName(event.target.value)}
        />
        {needsPassword && (
          <PasswordField
            label={t('currentPassword')}
            help={t('currentHelp')}
            autoComplete="current-password"
            value={password}
            onChange={event => setPassword(event.target.value)}
          />
        )}
      </form>
    </Dialog>
  )
}
