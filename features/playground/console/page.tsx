import { useQueryClient } from '@tanstack/react-query'
import { Braces, SlidersHorizontal } from 'lucide-react'
import { type DragEvent, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { useUser } from '#console/app/session/session.ts'
import { chooseExampleModel } from '#console/app/snippets/example-model.ts'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { useStore } from '#console/ui/store.ts'
import { useMedia } from '#console/ui/use-media.ts'
import { type Chats, type ChatsState, createChats, isThreadBusy, shownConversation } from './chats.ts'
import { Columns } from './columns.tsx'
import { Composer, useAttachedPictures } from './composer.tsx'
import type { Conversation } from './conversations.ts'
import { useAvailableModels } from './queries.ts'
import { PlaygroundSearch } from './search-params.ts'
import { INITIAL_MODEL, type Settings, storedSettings, storeSettings } from './settings.ts'
import { useScreenText } from './text.ts'
import { ConversationPicker, Toolbar } from './toolbar.tsx'

const settingsPanel = lazyPart(async () => (await import('./settings-panel.tsx')).SettingsPanel)
const inspector = lazyPart(async () => (await import('./inspector.tsx')).Inspector)
const dialog = lazyPart(async () => (await import('./side-panel-dialog.tsx')).SidePanelDialog)

/** The widths from which the settings, and then also the inspector, have room beside the conversation. */
const SETTINGS_BESIDE = '(min-width: 1024px)'
const INSPECTOR_BESIDE = '(min-width: 1280px)'

export function PlaygroundPage() {
  const t = useScreenText()
  const { settings, chats, state, change, changeModel } = usePlayground()
  const isSettingsBeside = useMedia(SETTINGS_BESIDE)
  const isInspectorBeside = useMedia(INSPECTOR_BESIDE)
  const [opened, setOpened] = useState<'settings' | 'inspector'>()
  const close = () => setOpened(undefined)
  const conversation = shownConversation(state)
  const model = conversation.threads[0]?.model ?? settings.model
  const isComparing = conversation.threads.length > 1
  const panel = (
    <settingsPanel.Part settings={{ ...settings, model }} isComparing={isComparing} onChange={change} />
  )
  const inspectorPanel = <inspector.Part settings={settings} threads={conversation.threads} state={state} />
  return (
    <div className="flex h-full min-h-80">
      {isSettingsBeside && (
        <SidePanel title={t('settings')} className="w-70 border-r">
          {panel}
        </SidePanel>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex min-h-12 items-center gap-1 border-b border-line bg-surface px-3 sm:px-6 coarse:gap-3">
          <h1 tabIndex={-1} className="text-section font-semibold max-sm:sr-only">
            {t('title')}
          </h1>
          <ConversationPicker chats={chats} state={state} />
          {!isComparing && (
            <span className="mx-2 min-w-0 truncate font-mono text-caption text-muted max-sm:hidden">
              {model}
            </span>
          )}
          {!isSettingsBeside && (
            <IconButton
              label={t('openSettings')}
              icon={SlidersHorizontal}
              onClick={() => setOpened('settings')}
            />
          )}
          <Toolbar chats={chats} state={state} settings={settings} />
          <IconButton
            label={t('inspector')}
            icon={Braces}
            aria-pressed={opened === 'inspector'}
            onClick={() => setOpened(opened === 'inspector' ? undefined : 'inspector')}
          />
        </div>
        <Notices state={state} />
        <ChatArea conversation={conversation} settings={settings} chats={chats} onModelChange={changeModel} />
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

function Notices({ state }: { readonly state: ChatsState }) {
  const t = useScreenText()
  const { expired } = useSearchParams(PlaygroundSearch)
  const notices = [
    ...(expired === 'true' ? [t('expired')] : []),
    ...(state.isStorageFull ? [t('storageFull')] : []),
  ]
  return notices.map(notice => (
    <div key={notice} className="px-3 pt-3 sm:px-6">
      <Banner tone="warning">{notice}</Banner>
    </div>
  ))
}

interface ChatAreaProps {
  readonly conversation: Conversation
  readonly settings: Settings
  readonly chats: Chats
  readonly onModelChange: (threadId: string, model: string) => void
}

/** The messages and the message input. Pictures can be dropped anywhere. */
function ChatArea({ conversation, settings, chats, onModelChange }: ChatAreaProps) {
  const t = useScreenText()
  const attached = useAttachedPictures()
  const { threads } = conversation
  const drop = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    // Without this, the browser leaves the page and opens the file.
    event.preventDefault()
    attached.attach(event.dataTransfer.files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the button beside the message
    <div
      className="flex min-h-0 flex-1 flex-col"
      onDrop={drop}
      onDragOver={event => event.dataTransfer.types.includes('Files') && event.preventDefault()}
    >
      <Columns
        key={conversation.id}
        threads={threads}
        settings={settings}
        chats={chats}
        onModelChange={onModelChange}
      />
      <div className="mx-auto w-full max-w-202 px-3 pb-[max(12px,env(safe-area-inset-bottom))] sm:px-6">
        <Composer
          models={threads.map(thread => thread.model)}
          isBusy={threads.some(isThreadBusy)}
          attached={attached}
          stopLabel={t(threads.length > 1 ? 'stopAll' : 'stop')}
          onSend={chats.send}
          onStop={chats.stop}
        />
      </div>
    </div>
  )
}

/** The stored settings and conversations. A model or a group in the URL overrides them when the page opens. */
function usePlayground() {
  const { model: urlModel, group: urlGroup } = useSearchParams(PlaygroundSearch)
  const userId = useUser()?.id ?? 0
  const client = useQueryClient()
  const [settings, setSettings] = useState<Settings>(() => ({
    ...storedSettings(userId),
    ...(urlModel !== '' && { model: urlModel }),
    ...(urlGroup !== '' && { group: urlGroup }),
  }))
  const latest = useRef(settings)
  const [chats] = useState(() => {
    // A reply was charged, so the balance has changed.
    const onReplied = () => void client.invalidateQueries({ queryKey: ['self'] })
    const created = createChats({ userId, settings: () => latest.current, onReplied })
    const [first] = shownConversation(created.store.get()).threads
    if (first && urlModel !== '') created.setModel(first.id, urlModel)
    return created
  })
  useEffect(() => chats.close, [chats])
  const changeSettings = useCallback(
    (part: Partial<Settings>) => {
      latest.current = { ...latest.current, ...part }
      setSettings(latest.current)
      storeSettings(userId, latest.current)
    },
    [userId],
  )
  const state = useStore(chats.store)
  const firstId = () => shownConversation(chats.store.get()).threads[0]?.id ?? ''
  useServedModel(chats, state, { ...settings, isChosen: urlModel !== '' })
  return {
    settings,
    chats,
    state,
    change: (part: Partial<Settings>) => {
      if (part.model !== undefined) chats.setModel(firstId(), part.model)
      changeSettings(part)
    },
    /** New conversations begin with the model that the first column had last. */
    changeModel: (threadId: string, model: string) => {
      chats.setModel(threadId, model)
      if (threadId === firstId()) changeSettings({ model })
    },
  }
}

/** Begins the first conversation with a model that the group serves. */
function useServedModel(
  chats: Chats,
  state: ChatsState,
  { group, isChosen }: Pick<Settings, 'group'> & { readonly isChosen: boolean },
): void {
  const [first, ...others] = shownConversation(state).threads
  const { id = '', model = '', messages = [] } = first ?? {}
  const isUntouched = !isChosen && model === INITIAL_MODEL && messages.length === 0 && others.length === 0
  const { state: availability, models } = useAvailableModels({ group, model })
  const served =
    isUntouched && availability === 'model-missing' ? (chooseExampleModel(models) ?? model) : model
  useEffect(() => {
    if (served !== model) chats.setModel(id, served)
  }, [chats, id, model, served])
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
