import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadError } from '../../../app/api/load-error.tsx'
import { Invitation } from '../../../app/invitation/invitation.tsx'
import { chooseLanguage } from '../../../app/preferences/language.ts'
import { readStored, writeStored } from '../../../app/preferences/local-store.ts'
import { toggleMask, useIsMasked } from '../../../app/preferences/privacy.tsx'
import { chooseTheme, THEME_MODES, useThemeMode } from '../../../app/preferences/theme.ts'
import { selfQuery } from '../../../app/session/self.ts'
import { setSingleKeys, useSingleKeys } from '../../../app/shell/shortcuts.ts'
import { chooseTimeFormat, TIME_FORMATS, useTimeFormat } from '../../../app/time/time.tsx'
import { Button } from '../../../ui/buttons/button.tsx'
import { copyText } from '../../../ui/buttons/copy-button.tsx'
import { Tag } from '../../../ui/data/badges.tsx'
import { SearchBox } from '../../../ui/data/filter/filters.tsx'
import { Skeleton } from '../../../ui/feedback/progress.tsx'
import { Switch } from '../../../ui/forms/checkbox.tsx'
import { SegmentedChoice } from '../../../ui/forms/select.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { LANGUAGES, useLanguage } from '../../../ui/text/text.ts'
import { SettingSection, TabLayout } from '../layout.tsx'
import { BindingList } from './bindings.tsx'
import { NotificationForm } from './notification-form.tsx'
import { Profile } from './profile.tsx'
import { modelsQuery } from './queries.ts'
import { AccessToken, DeleteAccount, PasswordForm } from './security.tsx'
import { usePersonalText } from './text.ts'

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

/** Settings of the user's own account. */
export function PersonalTab() {
  const t = usePersonalText()
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
    <TabLayout sections={SECTIONS.map(id => ({ id, title: t(id) }))}>
      {SECTIONS.map(id => (
        <SettingSection key={id} id={id} title={t(id)}>
          {parts[id]}
        </SettingSection>
      ))}
    </TabLayout>
  )
}

const LANGUAGE_NAMES = { zh: 'languageZh', en: 'languageEn' } as const

/** Preferences that are stored in this browser. */
export function Preferences() {
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
export function ModelChips() {
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
        <Button look="link" className="-ml-3.5 justify-self-start" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? t('fewerModels') : t('moreModels', { count: models.length - COLLAPSED_MODELS })}
        </Button>
      )}
    </>
  )
}
