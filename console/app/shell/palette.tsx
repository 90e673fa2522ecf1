import { Dialog } from '@base-ui/react/dialog'
import { useQueries } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { BookOpen, Languages, type LucideIcon, Search, SunMoon } from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { classes } from '../../ui/class-names.ts'
import { type Translate, useLanguage } from '../../ui/text/text.ts'
import { useStatus } from '../api/status.ts'
import { appText, useAppText } from '../app-text.ts'
import { chooseLanguage, chooseTheme, nextTheme } from '../preferences/appearance.ts'
import type { Screen } from '../router/define-screen.ts'
import { navScreens, recentPages, screens } from '../router/screens.ts'
import { hasRole, useUser } from '../session/session.ts'

interface Entry {
  readonly name: string
  /** Further search terms: the name in the other language, the path. */
  readonly also: string
  readonly kind: string
  readonly icon: LucideIcon
  readonly run: () => void
}

const SEARCH_LETTERS_MIN = 2
const DEBOUNCE_MS = 200
const API_REFERENCE = '/api/docs'
const inBothLanguages = (key: keyof typeof appText.zh): string => `${appText.zh[key]} ${appText.en[key]}`

type ShellTranslate = Translate<keyof typeof appText.zh>

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The pages that the user may open. Recent ones come first while nothing is typed. */
function usePageEntries(t: ShellTranslate, typed: string): readonly Entry[] {
  const user = useUser()
  const status = useStatus()
  const language = useLanguage()
  const navigate = useNavigate()
  const here = useLocation({ select: location => location.pathname })
  const open = navScreens.filter(screen => hasRole(user, screen.role) && (screen.nav?.when?.(status) ?? true))
  const recent = (user && typed === '' ? recentPages(user.id) : [])
    .filter(path => path !== here)
    .flatMap(path => open.filter(screen => screen.path === path))
  const toEntry = (screen: Screen, kind: string) => ({
    name: screen.title[language],
    also: `${screen.title.zh} ${screen.title.en} ${screen.path}`,
    kind,
    icon: screen.nav?.icon ?? Search,
    run: () => void navigate({ to: screen.path }),
  })
  return [
    ...recent.map(screen => toEntry(screen, t('paletteRecent'))),
    ...open.filter(screen => !recent.includes(screen)).map(screen => toEntry(screen, t('palettePages'))),
  ]
}

function useActionEntries(t: ShellTranslate): readonly Entry[] {
  const language = useLanguage()
  const other = language === 'zh' ? 'en' : 'zh'
  const kind = t('paletteActions')
  return [
    {
      name: t('theme'),
      also: inBothLanguages('theme'),
      kind,
      icon: SunMoon,
      run: () => chooseTheme(nextTheme()),
    },
    {
      name: t('switchLanguage'),
      also: inBothLanguages('language'),
      kind,
      icon: Languages,
      run: () => chooseLanguage(other),
    },
    {
      name: t('apiReference'),
      also: `${inBothLanguages('apiReference')} ${inBothLanguages('documentation')} openapi swagger`,
      kind: t('documentation'),
      icon: BookOpen,
      run: () => void window.open(API_REFERENCE, '_blank', 'noopener'),
    },
  ]
}

/** The value once it has not changed for a moment, so that a call is made for a word and not for each letter. */
function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Matching records of all screens that the user may open. Failed searches are left out. */
function useRecordEntries(typed: string): readonly Entry[] {
  const user = useUser()
  const language = useLanguage()
  const navigate = useNavigate()
  const query = useDebounced(typed.trim())
  const searched = screens.filter(screen => screen.find && hasRole(user, screen.role))
  const results = useQueries({
    queries: searched.map(screen => ({
      queryKey: ['palette', screen.path, query],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => screen.find?.(query, signal) ?? [],
      enabled: query.length >= SEARCH_LETTERS_MIN,
      retry: false,
    })),
  })
  return results.flatMap(({ data: found = [] }, index) => {
    const screen = searched[index]
    return found.map(({ name, href }) => ({
      name,
      also: '',
      kind: screen?.title[language] ?? '',
      icon: screen?.nav?.icon ?? Search,
      run: () => void navigate({ href }),
    }))
  })
}

/** Command palette: finds pages and actions by name in either language, and records. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const t = useAppText()
  const [typed, setTyped] = useState('')
  const entries = [...usePageEntries(t, typed.trim()), ...useActionEntries(t)]
  const [cursor, setCursor] = useState(0)
  const records = useRecordEntries(typed)
  const found = [
    ...entries.filter(entry => fold(`${entry.name} ${entry.also}`).includes(fold(typed.trim()))),
    ...records,
  ]
  const run = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') setCursor(Math.min(cursor + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setCursor(Math.max(cursor - 1, 0))
    else if (event.key === 'Enter') run(found[cursor])
    else return
    event.preventDefault()
  }
  return (
    <Dialog.Root open onOpenChange={open => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-60 bg-scrim" />
        <Dialog.Popup className="fixed inset-x-3 top-[12vh] z-60 mx-auto max-w-140 overflow-hidden rounded-dialog bg-raised shadow-sheet outline-none">
          <Dialog.Title className="sr-only">{t('paletteTitle')}</Dialog.Title>
          <div className="flex items-center gap-3 border-b border-line px-4">
            <Search size={17} aria-hidden className="text-muted" />
            <input
              type="search"
              role="combobox"
              aria-expanded="true"
              aria-controls="palette-list"
              aria-activedescendant={found[cursor] ? `palette-${cursor}` : undefined}
              aria-label={t('paletteTitle')}
              placeholder={t('palettePlaceholder')}
              autoComplete="off"
              value={typed}
              onChange={event => {
                setTyped(event.target.value)
                setCursor(0)
              }}
              onKeyDown={onKeyDown}
              className="control-text h-12 flex-1 bg-transparent outline-none"
            />
          </div>
          <EntryList
            entries={found}
            cursor={cursor}
            onCursor={setCursor}
            onRun={run}
            emptyText={t('paletteEmpty')}
            label={t('paletteTitle')}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface EntryListProps {
  readonly entries: readonly Entry[]
  readonly cursor: number
  readonly onCursor: (index: number) => void
  readonly onRun: (entry: Entry) => void
  readonly emptyText: string
  readonly label: string
}

function EntryList({ entries, cursor, onCursor, onRun, emptyText, label }: EntryListProps) {
  if (entries.length === 0) return <p className="p-4 text-muted">{emptyText}</p>
  return (
    <div id="palette-list" role="listbox" aria-label={label} className="max-h-[50vh] overflow-y-auto p-1.5">
      {entries.map((entry, index) => (
        <div
          key={`${entry.kind} ${entry.name} ${entry.also}`}
          id={`palette-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === cursor}
          onPointerMove={() => onCursor(index)}
          onClick={() => onRun(entry)}
          onKeyDown={event => event.key === 'Enter' && onRun(entry)}
          className={classes(
            'flex h-10 cursor-default items-center gap-3 rounded-control px-2.5',
            index === cursor && 'bg-hover',
          )}
        >
          <entry.icon size={17} aria-hidden className="text-muted" />
          <span className="min-w-0 flex-1 truncate">{entry.name}</span>
          <span className="text-caption text-subtle">{entry.kind}</span>
        </div>
      ))}
    </div>
  )
}
