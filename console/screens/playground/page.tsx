import { Braces, Download, SlidersHorizontal, Trash2 } from 'lucide-react'
import { type ReactNode, Suspense, useCallback, useState } from 'react'
import { downloadText } from '../../app/list/csv.ts'
import { useSearchParams } from '../../app/router/search-params.ts'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { Banner } from '../../ui/feedback/feedback.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { confirm } from '../../ui/overlays/messages.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { PlaygroundSearch } from './search-params.ts'
import { type Settings, storedSettings, storeSettings } from './settings.ts'
import { useScreenText } from './text.ts'
import { type Chat, useChat } from './use-chat.ts'

const settingsPanel = lazyPart(async () => (await import('./settings-panel.tsx')).SettingsPanel)
const inspector = lazyPart(async () => (await import('./inspector.tsx')).Inspector)
const dialog = lazyPart(async () => (await import('./side-panel-dialog.tsx')).SidePanelDialog)

/** The widths from which the settings, and then also the inspector, have room beside the conversation. */
const SETTINGS_BESIDE = '(min-width: 1024px)'
const INSPECTOR_BESIDE = '(min-width: 1280px)'

export function PlaygroundPage() {
  const t = useScreenText()
  const { expired } = useSearchParams(PlaygroundSearch)
  const [settings, change] = useSettings()
  const chat = useChat(settings)
  const isSettingsBeside = useMedia(SETTINGS_BESIDE)
  const isInspectorBeside = useMedia(INSPECTOR_BESIDE)
  const [opened, setOpened] = useState<'settings' | 'inspector'>()
  const close = () => setOpened(undefined)
  const panel = <settingsPanel.Part settings={settings} onChange={change} />
  const inspectorPanel = <inspector.Part settings={settings} requestLog={chat.requestLog} />
  return (
    <div className="flex h-full min-h-80">
      {isSettingsBeside && (
        <SidePanel title={t('settings')} className="w-70 border-r">
          {panel}
        </SidePanel>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex min-h-12 items-center gap-1 border-b border-line bg-surface px-3 sm:px-6 coarse:gap-3">
          <h1 tabIndex={-1} className="text-section font-semibold">
            {t('title')}
          </h1>
          <span className="mx-2 min-w-0 flex-1 truncate font-mono text-caption text-muted">
            {settings.model}
          </span>
          {!isSettingsBeside && (
            <IconButton
              label={t('openSettings')}
              icon={SlidersHorizontal}
              onClick={() => setOpened('settings')}
            />
          )}
          <ChatTools chat={chat} />
          <IconButton
            label={t('inspector')}
            icon={Braces}
            aria-pressed={opened === 'inspector'}
            onClick={() => setOpened(opened === 'inspector' ? undefined : 'inspector')}
          />
        </div>
        {expired === 'true' && (
          <div className="px-3 pt-3 sm:px-6">
            <Banner tone="warning">{t('expired')}</Banner>
          </div>
        )}
        <Conversation chat={chat} settings={settings} />
        <div className="mx-auto w-full max-w-202 px-3 pb-[max(12px,env(safe-area-inset-bottom))] sm:px-6">
          <Composer isBusy={chat.isBusy} onSend={chat.send} onStop={chat.stop} />
        </div>
      </div>
      {opened === 'inspector' && isInspectorBeside && (
        <SidePanel title={t('inspector')} className="w-80 border-l">
          {inspectorPanel}
        </SidePanel>
      )}
      <Suspense fallback={null}>
        {opened === 'settings' && !isSettingsBeside && (
          <dialog.Part title={t('settings')} onClose={close}>
            {panel}
          </dialog.Part>
        )}
        {opened === 'inspector' && !isInspectorBeside && (
          <dialog.Part title={t('inspector')} onClose={close}>
            {inspectorPanel}
          </dialog.Part>
        )}
      </Suspense>
    </div>
  )
}

/** The stored settings. A model or a group in the URL overrides them when the page opens. */
function useSettings(): readonly [Settings, (change: Partial<Settings>) => void] {
  const { model, group } = useSearchParams(PlaygroundSearch)
  const [settings, setSettings] = useState<Settings>(() => ({
    ...storedSettings(),
    ...(model !== '' && { model }),
    ...(group !== '' && { group }),
  }))
  const change = useCallback((part: Partial<Settings>) => {
    setSettings(before => {
      const next = { ...before, ...part }
      storeSettings(next)
      return next
    })
  }, [])
  return [settings, change]
}

function ChatTools({ chat: { messages, clear } }: { readonly chat: Chat }) {
  const t = useScreenText()
  const confirmClear = async () => {
    const question = { title: t('clearTitle'), text: t('clearText', { count: messages.length }) }
    if (await confirm({ ...question, action: t('clear'), isDanger: true })) clear()
  }
  const exportChat = () =>
    downloadText('conversation.json', JSON.stringify(messages, undefined, 2), 'application/json')
  return (
    <>
      <IconButton
        label={t('exportChat')}
        icon={Download}
        disabled={messages.length === 0}
        onClick={exportChat}
      />
      <IconButton
        label={t('clear')}
        icon={Trash2}
        disabled={messages.length === 0}
        onClick={() => void confirmClear()}
      />
    </>
  )
}

interface SidePanelProps {
  readonly title: string
  readonly className: string
  readonly children: ReactNode
}

const SidePanel = ({ title, className, children }: SidePanelProps) => (
  <aside aria-label={title} className={`shrink-0 overflow-y-auto border-line bg-surface p-4 ${className}`}>
    <h2 className="mb-4 text-small font-semibold">{title}</h2>
    <Suspense fallback={null}>{children}</Suspense>
  </aside>
)
