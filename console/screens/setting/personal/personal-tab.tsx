import { useQuery } from '@tanstack/react-query'
import { Invitation } from '../../../app/invitation/invitation.tsx'
import { LoadError } from '../../../app/api/load-error.tsx'
import { selfQuery } from '../../../app/session/self.ts'
import { Skeleton } from '../../../ui/feedback/progress.tsx'
import { useText } from '../../../ui/text/text.ts'
import { SettingPage } from '../setting-page.tsx'
import { SettingSection } from '../setting-section.tsx'
import { AccessToken } from './access-token.tsx'
import { BindingList } from './binding-list.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { ModelChips } from './model-chips.tsx'
import { NotificationForm } from './notification-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { Preferences } from './preferences.tsx'
import { Profile } from './profile.tsx'
import { personalText } from './text.ts'

const SECTIONS = [
  'profile',
  'models',
  'invitation',
  'bindings',
  'token',
  'password',
  'notifications',
  'preferences',
  'danger',
] as const

/** Everything about the own account. */
export function PersonalTab() {
  const t = useText(personalText)
  const { data: self, error, isFetching, refetch } = useQuery(selfQuery)
  if (!self) {
    return error ? (
      <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
    ) : (
      <div className="grid gap-5 lg:pl-54">
        <Skeleton className="h-48 w-full max-w-220" />
        <Skeleton className="h-32 w-full max-w-220" />
      </div>
    )
  }
  const parts = {
    profile: <Profile self={self} />,
    models: <ModelChips />,
    invitation: (
      <div>
        <Invitation />
      </div>
    ),
    bindings: <BindingList self={self} />,
    token: <AccessToken />,
    password: <PasswordForm self={self} />,
    notifications: <NotificationForm self={self} />,
    preferences: <Preferences />,
    danger: <DeleteAccount self={self} />,
  }
  return (
    <SettingPage sections={SECTIONS.map(id => ({ id, title: t(id) }))}>
      {SECTIONS.map(id => (
        <SettingSection key={id} id={id} title={t(id)}>
          {parts[id]}
        </SettingSection>
      ))}
    </SettingPage>
  )
}
