import { useQuery } from '@tanstack/react-query'
import { ArrowRight, Copy, Filter, FilterX } from 'lucide-react'
import type { ReactNode } from 'react'
import type { LogEntry } from '#contract/logs/logs.ts'
import { plainErrorText } from '../../app/api/call.ts'
import { formatDateTime, formatNumber, MoneyText, maskedMoney } from '../../app/format/format.tsx'
import { useIsMasked } from '../../app/preferences/privacy.tsx'
import { useSearchParams, useSetSearchParams } from '../../app/router/search-params.ts'
import { Button, copyText } from '../../ui/buttons/buttons.tsx'
import { MenuButton, PopoverButton } from '../../ui/buttons/popup-buttons.tsx'
import { Monogram, StatusBadge, type Tone } from '../../ui/data/badges.tsx'
import { KeyValues } from '../../ui/data/facts.tsx'
import { Skeleton } from '../../ui/feedback/feedback.tsx'
import type { MenuItems } from '../../ui/overlays/menu-popup.tsx'
import { toast } from '../../ui/overlays/messages.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { useLanguage } from '../../ui/text/text.ts'
import {
  durationTone,
  failureReason,
  firstTokenTone,
  formatSeconds,
  isRequest,
  type Row,
  readTiming,
  roundForDisplay,
  typeBadge,
} from './entry.ts'
import { userQuery } from './queries.ts'
import { LogSearch } from './search-params.ts'
import { useScreenText } from './text.ts'
import { exclude, type FilterField, includeOnly } from './view.ts'

const MS = 1000
const NONE = <span className="text-subtle">-</span>
const TONE_CLASSES: Readonly<Partial<Record<Tone, string>>> = {
  success: 'text-success',
  warning: 'text-warning',
  danger: 'text-danger',
}
const LINK = 'rounded-control text-left touch-target hover:text-accent hover:underline'

interface TimeCellProps {
  readonly entry: LogEntry
  /** Cards on a phone put the model first. */
  readonly isCard?: boolean
}

/** A button that opens the sheet of the row. */
export function TimeCell({ entry, isCard = false }: TimeCellProps) {
  const setUrl = useSetSearchParams(LogSearch)
  const at = formatDateTime(entry.created_at)
  return (
    <button
      type="button"
      className={`${LINK} max-w-full font-normal tabular`}
      onClick={() => setUrl({ row: String(entry.id) }, { push: true })}
    >
      {isCard && entry.model_name !== '' && (
        <span className="block truncate font-medium">{entry.model_name}</span>
      )}
      <span className={isCard ? 'text-caption text-muted' : 'whitespace-nowrap'}>{at}</span>
    </button>
  )
}

export function TypeBadge({ entry }: { readonly entry: LogEntry }) {
  const t = useScreenText()
  const { textKey, tone } = typeBadge(entry.type)
  return (
    <StatusBadge tone={tone} mark={tone === 'danger' ? 'cross' : 'none'}>
      {t(textKey, { type: entry.type })}
    </StatusBadge>
  )
}

export function TypeCell({ row: { entry, detail } }: { readonly row: Row }) {
  const t = useScreenText()
  const { textKey } = typeBadge(entry.type)
  return (
    <>
      <ValueMenu field="type" value={String(entry.type)} name={t(textKey, { type: entry.type })}>
        <TypeBadge entry={entry} />
      </ValueMenu>
      <FailureReason entry={entry} detail={detail} />
    </>
  )
}

/** Status, code and message of a failed request; the tooltip and the sheet have them in full. */
function FailureReason({ entry, detail }: Row) {
  const reason = failureReason(entry, detail)
  if (reason === '') return null
  return (
    <span className="mt-0.5 block max-w-56 truncate text-caption text-danger" title={reason}>
      {reason}
    </span>
  )
}

/** The requested model, and the upstream model when a mapping replaced it. */
export function ModelCell({ row: { entry, detail } }: { readonly row: Row }) {
  const t = useScreenText()
  const { model_name: model } = entry
  if (model === '') return isRequest(entry) ? NONE : <ContentCell content={entry.content} />
  const upstream = detail.is_model_mapped ? detail.upstream_model_name : undefined
  return (
    <span className="flex max-w-52 items-center gap-2">
      <Monogram name={model} />
      <ValueMenu field="model" value={model} className="truncate font-mono text-caption" />
      {upstream && (
        <PopoverButton
          label={t('mappedTo', { model: upstream })}
          hasTooltip
          className="shrink-0 rounded-control text-info touch-target"
          content={<ArrowRight size={14} aria-hidden />}
        >
          {() => (
            <p className="p-3 text-small">
              {t('requested')} <b className="font-mono font-medium">{model}</b>
              <br />
              {t('upstream')} <b className="font-mono font-medium">{upstream}</b>
            </p>
          )}
        </PopoverButton>
      )}
    </span>
  )
}

const ContentCell = ({ content }: { readonly content: string }) => (
  <span className="block max-w-60 truncate" title={content}>
    {content || NONE}
  </span>
)

interface FilterCellProps {
  readonly field: 'token' | 'group'
  readonly value: string
}

/** A value that filters the list. */
export const FilterCell = ({ field, value }: FilterCellProps) =>
  value === '' ? NONE : <ValueMenu field={field} value={value} className="block max-w-28 truncate" />

export function ChannelCell({ entry: { channel, channel_name: name } }: { readonly entry: LogEntry }) {
  if (channel === 0) return NONE
  return (
    <ValueMenu
      field="channel"
      value={String(channel)}
      name={`${name} #${channel}`}
      className="block max-w-32 truncate"
    >
      {name || `#${channel}`}
    </ValueMenu>
  )
}

/** A username that opens the balance, the usage and the number of requests of the user. */
export function UserCell({ entry }: { readonly entry: LogEntry }) {
  const t = useScreenText()
  const isMasked = useIsMasked()
  if (entry.username === '') return NONE
  const name = isMasked ? maskedMoney() : entry.username
  return (
    <PopoverButton
      label={t('userNamed', { name })}
      className={`${LINK} block max-w-28 truncate`}
      content={name}
    >
      {close => <UserCard entry={entry} onClose={close} />}
    </PopoverButton>
  )
}

interface DurationCellProps {
  readonly row: Row
  readonly isShort?: boolean
}

/** Seconds to the first token and in total. */
export function DurationCell({ row: { entry, detail }, isShort = false }: DurationCellProps) {
  const t = useScreenText()
  const { totalMs, firstTokenMs } = readTiming(entry, detail)
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap tabular">
      {firstTokenMs !== undefined && (
        <>
          <span className={TONE_CLASSES[firstTokenTone(firstTokenMs / MS)]} title={t('firstToken')}>
            {formatSeconds(firstTokenMs)}
          </span>
          <span className="text-subtle">/</span>
        </>
      )}
      <span className={TONE_CLASSES[durationTone(totalMs / MS)]} title={t('totalTime')}>
        {formatSeconds(totalMs)} s
      </span>
      {!isShort && entry.is_stream && (
        <StatusBadge tone="info" mark="none">
          {t('stream')}
        </StatusBadge>
      )}
    </span>
  )
}

/** Input and output tokens. The tooltip gives the cached part. */
export function TokensCell({ row: { entry, detail } }: { readonly row: Row }) {
  const t = useScreenText()
  const language = useLanguage()
  const cached = detail.cache_tokens ?? 0
  const number = (value: number) => formatNumber(value, language)
  return (
    <span
      className="whitespace-nowrap"
      title={cached > 0 ? t('cachedOf', { cached: number(cached) }) : undefined}
    >
      {number(entry.prompt_tokens)} <span className="text-subtle">/</span> {number(entry.completion_tokens)}
    </span>
  )
}

export function SpeedCell({ row: { entry, detail } }: { readonly row: Row }) {
  const language = useLanguage()
  const { tokensPerSecond } = readTiming(entry, detail)
  return tokensPerSecond === undefined ? NONE : formatNumber(roundForDisplay(tokensPerSecond), language)
}

/** The channels of a retried request, in the order in which they were tried. */
export function RetryCell({ row: { detail } }: { readonly row: Row }) {
  const t = useScreenText()
  const channels = detail.admin_info?.use_channel ?? []
  if (channels.length < 2) return NONE
  return (
    <span className="whitespace-nowrap text-warning tabular" title={t('triedChannels')}>
      {channels.join(' → ')}
    </span>
  )
}

interface ValueMenuProps {
  readonly field: FilterField
  readonly value: string
  /** The displayed name of the value. */
  readonly name?: string
  readonly className?: string
  readonly children?: ReactNode
}

/** A value with a menu that filters the list by it, excludes it, or copies it. */
function ValueMenu({ field, value, name = value, className = '', children = name }: ValueMenuProps) {
  const t = useScreenText()
  const kit = useKitText()
  const search = useSearchParams(LogSearch)
  const setUrl = useSetSearchParams(LogSearch)
  const copy = async () => {
    if (await copyText(name)) toast('success', kit('copiedWhat', { what: name }))
  }
  const items: MenuItems = [
    [
      {
        label: t('onlyValue', { value: name }),
        icon: Filter,
        onSelect: () => setUrl({ ...includeOnly(field, value), p: undefined }),
      },
      {
        label: t('excludeValue', { value: name }),
        icon: FilterX,
        onSelect: () => setUrl({ ...exclude(search, field, value), p: undefined }),
      },
    ],
    [{ label: kit('copy'), icon: Copy, onSelect: () => void copy() }],
  ]
  return (
    <MenuButton variant="text" label={t('filterBy', { value: name })} items={items} className={className}>
      {children}
    </MenuButton>
  )
}

interface UserCardProps {
  readonly entry: LogEntry
  readonly onClose: () => void
}

/** The user of a request, for administrators. */
function UserCard({ entry, onClose }: UserCardProps) {
  const t = useScreenText()
  const language = useLanguage()
  const search = useSearchParams(LogSearch)
  const setUrl = useSetSearchParams(LogSearch)
  const { data: user, error } = useQuery(userQuery(entry.user_id))
  const name = useIsMasked() ? maskedMoney() : entry.username
  const applyFilter = (change: ReturnType<typeof includeOnly>) => {
    setUrl({ ...change, p: undefined })
    onClose()
  }
  return (
    <div className="grid min-w-56 gap-3 p-3">
      {user ? (
        <KeyValues
          items={[
            { label: t('username'), value: user.username },
            { label: t('balance'), value: <MoneyText quota={user.quota} /> },
            { label: t('usedQuota'), value: <MoneyText quota={user.used_quota} /> },
            { label: t('requestCount'), value: formatNumber(user.request_count, language) },
          ]}
        />
      ) : error ? (
        <p className="text-small text-muted">{plainErrorText(error)}</p>
      ) : (
        <Skeleton className="h-22 w-full" />
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={() => applyFilter(includeOnly('user', entry.username))}>
          {t('onlyValue', { value: name })}
        </Button>
        <Button size="small" onClick={() => applyFilter(exclude(search, 'user', entry.username))}>
          {t('excludeValue', { value: name })}
        </Button>
      </div>
    </div>
  )
}
