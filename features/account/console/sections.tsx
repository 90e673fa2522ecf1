import { useQuery } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { Suspense, useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import {
  chooseTimeFormat,
  formatNumber,
  TIME_FORMATS,
  useMoney,
  useTimeFormat,
} from '#console/app/format/format.tsx'
import {
  chooseLanguage,
  chooseTheme,
  THEME_MODES,
  useThemeMode,
} from '#console/app/preferences/appearance.ts'
import { readStored, writeStored } from '#console/app/preferences/local-store.ts'
import { PrivateText, toggleMask, useIsMasked } from '#console/app/preferences/privacy.tsx'
import { hasRole } from '#console/app/session/session.ts'
import { setSingleKeys, useSingleKeys } from '#console/app/shell/shortcuts.ts'
import { Button, copyText } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge, Tag } from '#console/ui/data/badges.tsx'
import { StatCard } from '#console/ui/data/facts.tsx'
import { SearchBox } from '#console/ui/data/filter/filters.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { SegmentedChoice, Switch } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { LANGUAGES, useLanguage } from '#console/ui/text/text.ts'
import { WhenSeen } from '#console/ui/when-seen.tsx'
import type { User } from '#contract/entities/user.ts'
import { BindingList } from './bindings.tsx'
import { modelsQuery } from './queries.ts'
import { AccessToken, DeleteAccount, PasswordForm } from './security.tsx'
import { usePersonalText } from './text.ts'

const notifications = lazyPart(async () => (await import('./notification-form.tsx')).NotificationForm)

const LANGUAGE_NAMES = { zh: 'languageZh', en: 'languageEn' } as const

/** Preferences that are stored in this browser. */
function Preferences() {
  const t = usePersonalText()
  const theme = useThemeMode()
  const language = useLanguage()
  const timeFormat = useTimeFormat()
  const isMasked = useIsMasked()
  const hasSingleKeys = useSingleKeys()
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <SegmentedChoice
          label={t('theme')}
          value={theme}
          options={THEME_MODES.map(value => ({ value, label: t(value) }))}
          onChange={chooseTheme}
        />
        <SegmentedChoice
          label={t('language')}
          value={language}
          options={LANGUAGES.map(value => ({ value, label: t(LANGUAGE_NAMES[value]), lang: value }))}
          onChange={chooseLanguage}
        />
        <SegmentedChoice
          label={t('timeFormat')}
          value={timeFormat}
          options={TIME_FORMATS.map(value => ({ value, label: t(value) }))}
          onChange={chooseTimeFormat}
        />
      </div>
      <Switch label={t('mask')} help={t('maskHelp')} checked={isMasked} onChange={toggleMask} />
      <Switch
        label={t('singleKeys')}
        help={t('singleKeysHelp')}
        checked={hasSingleKeys}
        onChange={event => setSingleKeys(event.target.checked)}
      />
    </>
  )
}

const COLLAPSED_MODELS = 10

/** Models that the user may call. A click copies the name. */
function ModelChips() {
  const t = usePersonalText()
  const { data: models, error, isFetching, refetch } = useQuery(modelsQuery)
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(() => readStored('open-models') === 'on')
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!models) return <Skeleton className="h-16 w-full" />
  if (models.length === 0) return <p className="text-muted">{t('noModels')}</p>
  const found = models.filter(model => model.toLowerCase().includes(typed.toLowerCase()))
  const shown = isOpen || typed !== '' ? found : found.slice(0, COLLAPSED_MODELS)
  const toggle = () => {
    writeStored('open-models', isOpen ? undefined : 'on')
    setOpen(!isOpen)
  }
  const copy = async (model: string) => {
    if (await copyText(model)) toast('success', t('copied', { what: model }))
  }
  return (
    <>
      {models.length > COLLAPSED_MODELS && (
        <SearchBox isMono label={t('searchModels')} value={typed} onSearch={setTyped} />
      )}
      <ul className="flex flex-wrap gap-2 coarse:gap-y-5">
        {shown.map(model => (
          <li key={model} className="max-w-full">
            <Tag isMono hint={t('copyModel')} onClick={() => void copy(model)}>
              {model}
            </Tag>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="text-muted">{t('noModelFound')}</p>}
      {typed === '' && models.length > COLLAPSED_MODELS && (
        <Button variant="link" className="-ml-3.5 justify-self-start" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? t('fewerModels') : t('moreModels', { count: models.length - COLLAPSED_MODELS })}
        </Button>
      )}
    </>
  )
}

const dialog = lazyPart(async () => (await import('./profile-dialog.tsx')).ProfileDialog)

/** Name, role and balance of the user. */
function Profile({ self }: { readonly self: User }) {
  const t = usePersonalText()
  const { money, exact, language } = useMoney()
  const [isEditing, setEditing] = useState(false)
  const { username, display_name: displayName, id, group } = self
  const name = displayName || username
  const isRoot = hasRole(self, 'root')
  const role = isRoot ? 'roleRoot' : hasRole(self, 'admin') && 'roleAdmin'
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <span
          aria-hidden
          className="flex size-14 shrink-0 items-center justify-center rounded-full bg-selected text-title font-semibold text-accent uppercase"
        >
          {[...name][0]}
        </span>
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-2">
            <span className="text-section font-semibold">
              <PrivateText>{name}</PrivateText>
            </span>
            <StatusBadge tone={isRoot ? 'warning' : 'neutral'} mark="none">
              {t(isRoot ? 'badgeAdmin' : 'badgeUser')}
            </StatusBadge>
          </p>
          <p className="text-small text-muted">
            <PrivateText>{username}</PrivateText>
            {[` · ID ${id}`, group, ...(role ? [t(role)] : [])].join(' · ')}
          </p>
        </div>
        <Button
          icon={Pencil}
          className="max-sm:w-full"
          onPointerEnter={dialog.preload}
          onFocus={dialog.preload}
          onClick={() => setEditing(true)}
        >
          {t('editProfile')}
        </Button>
      </div>
      <dl className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:grid-cols-3 sm:gap-3 sm:*:first:col-span-1">
        <StatCard label={t('balance')} value={money(self.quota)} hint={exact(self.quota)} />
        <StatCard label={t('used')} value={money(self.used_quota)} hint={exact(self.used_quota)} />
        <StatCard label={t('requests')} value={formatNumber(self.request_count, language)} />
      </dl>
      <Suspense fallback={null}>
        {isEditing && <dialog.Part self={self} onClose={() => setEditing(false)} />}
      </Suspense>
    </>
  )
}

/** By their names in the slots. */
export const sections = {
  profile: Profile,
  models: ModelChips,
  bindings: BindingList,
  token: AccessToken,
  password: PasswordForm,
  notifications: ({ self }: { readonly self: User }) => (
    <WhenSeen placeholder={<Skeleton className="h-100 w-full" />}>
      <notifications.Part self={self} />
    </WhenSeen>
  ),
  preferences: Preferences,
  danger: DeleteAccount,
}
