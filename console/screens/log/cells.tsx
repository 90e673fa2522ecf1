import { ArrowRight } from 'lucide-react'
import type { LogEntry } from '#contract/logs/logs.ts'
import { useIsMasked } from '../../app/preferences/privacy.tsx'
import { formatNumber, maskedMoney } from '../../app/money/money.tsx'
import { formatDateTime } from '../../app/time/time.tsx'
import { useSetSearchParams } from '../../app/router/search-params.ts'
import { Monogram, StatusBadge, type Tone } from '../../ui/data/badges.tsx'
import { PopoverButton } from '../../ui/buttons/popup-buttons.tsx'
import { useLanguage, useText } from '../../ui/text/text.ts'
import { roundForDisplay, formatSeconds, readTiming } from './detail.ts'
import { durationTone, firstTokenTone, isRequest, typeBadge } from './log-state.ts'
import type { Row } from './row.ts'
import { LogSearch } from './search.ts'
import { text } from './text.ts'
import { UserCard } from './user-card.tsx'
import { ValueMenu } from './value-menu.tsx'

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
  /** On a phone the model stands first. */
  readonly isCard?: boolean
}

/** Opens the row. */
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
  const t = useText(text)
  const [word, tone] = typeBadge(entry.type)
  return (
    <StatusBadge tone={tone} mark={tone === 'danger' ? 'cross' : 'none'}>
      {t(word, { type: entry.type })}
    </StatusBadge>
  )
}

export function TypeCell({ entry }: { readonly entry: LogEntry }) {
  const t = useText(text)
  const [word] = typeBadge(entry.type)
  return (
    <ValueMenu field="type" value={String(entry.type)} name={t(word, { type: entry.type })}>
      <TypeBadge entry={entry} />
    </ValueMenu>
  )
}

/** The requested model; where another one was sent upstream, both. */
export function ModelCell({ row: { entry, detail } }: { readonly row: Row }) {
  const t = useText(text)
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

/** A value by which the list can be filtered. */
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

/** Opens who it is: balance, usage, number of requests. */
export function UserCell({ entry }: { readonly entry: LogEntry }) {
  const t = useText(text)
  const isMasked = useIsMasked()
  if (entry.username === '') return NONE
  const name = isMasked ? maskedMoney() : entry.username
  return (
    <PopoverButton label={t('userNamed', { name })} className={`${LINK} block max-w-28 truncate`} content={name}>
      {close => <UserCard entry={entry} onClose={close} />}
    </PopoverButton>
  )
}

interface DurationCellProps {
  readonly row: Row
  readonly isShort?: boolean
}

/** Seconds to the first token and to the end. */
export function DurationCell({ row: { entry, detail }, isShort = false }: DurationCellProps) {
  const t = useText(text)
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

/** Tokens in and out, and how many came from a cache. */
export function TokensCell({ row: { entry, detail } }: { readonly row: Row }) {
  const t = useText(text)
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

/** The channels that were tried, in order, where it took more than one. */
export function RetryCell({ row: { detail } }: { readonly row: Row }) {
  const t = useText(text)
  const tried = detail.admin_info?.use_channel ?? []
  if (tried.length < 2) return NONE
  return (
    <span className="whitespace-nowrap text-warning tabular" title={t('triedChannels')}>
      {tried.join(' → ')}
    </span>
  )
}
