import { Dialog } from '@base-ui/react/dialog'
import { useQueries } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { BookOpen, Languages, type LucideIcon, Search, SunMoon } from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { Button } from '../../ui/buttons/buttons.tsx'
import { classes } from '../../ui/class-names.ts'
import { useKitText } from '../../ui/text/kit-text.ts'
import { type Translate, useLanguage } from '../../ui/text/text.ts'
import { basePath, documentationPath } from '../api/base-path.ts'
import { useStatus } from '../api/status.ts'
import { chooseLanguage, chooseTheme, nextTheme } from '../preferences/appearance.ts'
import { isOffered, type Screen } from '../router/define-screen.ts'
import { navScreens, recentPages, screens } from '../router/screens.ts'
import { useUser } from '../session/session.ts'
import { paletteText, usePaletteText } from './palette-text.ts'

interface Entry {
  readonly id: string
  readonly name: string
  /** Tells records of one name apart. */
  readonly detail?: string
  /** Further search terms: the name in the other language, the path. */
  readonly also: string
  readonly kind: string
  readonly icon: LucideIcon
  readonly run: () => void
}

const SEARCH_LETTERS_MIN = 2
const DEBOUNCE_MS = 200
const API_REFERENCE = `${basePath}/api/docs`
const inBothLanguages = (key: keyof typeof paletteText.zh): string =>
  `${paletteText.zh[key]} ${paletteText.en[key]}`

type ShellTranslate = Translate<keyof typeof paletteText.zh>

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The pages that the user may open. Recent ones come first while nothing is typed. */
function usePageEntries(t: ShellTranslate, typed: string): readonly Entry[] {
  const user = useUser()
  const status = useStatus()
  const language = useLanguage()
  const navigate = useNavigate()
  const here = useLocation({ select: location => location.pathname })
  const open = navScreens.filter(screen => isOffered(screen, user, status))
  const recent = (user && typed === '' ? recentPages(user.id) : [])
    .filter(path => path !== here)
    .flatMap(path => open.filter(screen => screen.path === path))
  const toEntry = (screen: Screen, kind: string) => ({
    id: screen.path,
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
      id: 'theme',
      name: t('theme'),
      also: inBothLanguages('theme'),
      kind,
      icon: SunMoon,
      run: () => chooseTheme(nextTheme()),
    },
    {
      id: 'language',
      name: t('switchLanguage'),
      also: inBothLanguages('language'),
      kind,
      icon: Languages,
      run: () => chooseLanguage(other),
    },
    {
      id: 'documentation',
      name: t('documentation'),
      also: `${inBothLanguages('documentation')} docs help guide`,
      kind: t('documentation'),
      icon: BookOpen,
      run: () => void window.open(documentationPath[language], '_blank', 'noopener'),
    },
    {
      id: 'api-reference',
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

interface RecordSearch {
  readonly entries: readonly Entry[]
  readonly isPending: boolean
  /** Titles of the screens whose search failed. */
  readonly failed: readonly string[]
  readonly retry: () => void
}

/** Searches the records of all screens that are offered to the user. */
function useRecordSearch(typed: string): RecordSearch {
  const user = useUser()
  const status = useStatus()
  const language = useLanguage()
  const navigate = useNavigate()
  const keyword = typed.trim()
  const query = useDebounced(keyword)
  const isLongEnough = query.length >= SEARCH_LETTERS_MIN
  const searched = screens.filter(screen => screen.find && isOffered(screen, user, status))
  const results = useQueries({
    queries: searched.map(screen => ({
      queryKey: ['palette', screen.path, query],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => screen.find?.(query, signal) ?? [],
      enabled: isLongEnough,
      retry: false,
    })),
  })
  const searches = searched.flatMap((screen, index) => {
    const result = results[index]
    return result ? [{ screen, result }] : []
  })
  const failed = searches.filter(({ result }) => result.isError && !result.isFetching)
  return {
    entries: searches.flatMap(({ screen, result }) =>
      (result.data ?? []).map(({ name, detail, href }) => ({
        id: href,
        name,
        ...(detail && { detail }),
        also: '',
        kind: screen.title[language],
        icon: screen.nav?.icon ?? Search,
        run: () => void navigate({ href }),
      })),
    ),
    isPending:
      (keyword !== query && keyword.length >= SEARCH_LETTERS_MIN) ||
      searches.some(({ result }) => result.isFetching),
    failed: failed.map(({ screen }) => screen.title[language]),
    retry: () => failed.forEach(({ result }) => void result.refetch()),
  }
}

/** Command palette: finds pages and actions by name in either language, and records. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const t = usePaletteText()
  const [typed, setTyped] = useState('')
  const entries = [...usePageEntries(t, typed.trim()), ...useActionEntries(t)]
  const [cursor, setCursor] = useState(0)
  const search = useRecordSearch(typed)
  const found = [
    ...entries.filter(entry => fold(`${entry.name} ${entry.also}`).includes(fold(typed.trim()))),
    ...search.entries,
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
              aria-expanded={found.length > 0}
              aria-controls={found.length > 0 ? 'palette-list' : undefined}
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
            label={t('paletteTitle')}
          />
          <SearchStatus search={search} hasEntries={found.length > 0} />
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
  readonly label: string
}

function EntryList({ entries, cursor, onCursor, onRun, label }: EntryListProps) {
  if (entries.length === 0) return null
  return (
    <div id="palette-list" role="listbox" aria-label={label} className="max-h-[50vh] overflow-y-auto p-1.5">
      {entries.map((entry, index) => (
        <div
          key={entry.id}
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
          <span className="flex min-w-0 flex-1 items-baseline gap-2">
            <span className="truncate">{entry.name}</span>
            {entry.detail && <span className="shrink-0 text-caption text-subtle">{entry.detail}</span>}
          </span>
          <span className="text-caption text-subtle">{entry.kind}</span>
        </div>
      ))}
    </div>
  )
}

interface SearchStatusProps {
  readonly search: RecordSearch
  readonly hasEntries: boolean
}

/** Says that the search runs, where it failed, or that it found nothing. Screen readers announce it. */
function SearchStatus({ search: { isPending, failed, retry }, hasEntries }: SearchStatusProps) {
  const t = usePaletteText()
  const retryLabel = useKitText()('retry')
  const isChinese = useLanguage() === 'zh'
  const hasFailed = failed.length > 0 && !isPending
  const failure = hasFailed && t('paletteFailed', { names: failed.join(isChinese ? '、' : ', ') })
  const text = isPending ? t('paletteSearching') : failure || (!hasEntries && t('paletteEmpty'))
  return (
    <div role="status" className={classes(hasEntries && text && 'border-t border-line')}>
      {text && (
        <p className="flex items-center gap-3 px-4 py-3 text-muted">
          <span className={classes('min-w-0 flex-1', hasFailed && 'text-danger')}>{text}</span>
          {hasFailed && (
            <Button size="small" onClick={retry}>
              {retryLabel}
            </Button>
          )}
        </p>
      )}
    </div>
  )
}
