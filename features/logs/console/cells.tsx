import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Copy, Filter, FilterX } from 'lucide-react'
import type { ReactNode } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { formatDateTime, formatNumber, MoneyText, maskedMoney } from '#console/app/format/format.tsx'
import { ChannelLink, ModelLink, RecordLink, TokenLink, UserLink } from '#console/app/list/record-link.tsx'
import { useIsMasked } from '#console/app/preferences/privacy.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { Button, copyText } from '#console/ui/buttons/buttons.tsx'
import { MenuButton, PopoverButton } from '#console/ui/buttons/popup-buttons.tsx'
import { Monogram, StatusBadge, type Tone } from '#console/ui/data/badges.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import type { MenuItems } from '#console/ui/overlays/menu-popup.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import type { LogEntry } from '../contract/logs.ts'
import {
  durationTone,
  failureReason,
  firstTokenTone,
  formatSeconds,
  isFailed,
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
const LINK = 'min-w-0 truncate touch-line'

interface TimeCellProps {
  readonly entry: LogEntry
  /** Cards on a phone put the model first. */
  readonly isCard?: boolean
}

/** A link to the sheet of the row. */
export function TimeCell({ entry, isCard = false }: TimeCellProps) {
  const at = formatDateTime(entry.created_at)
  return (
    <RecordLink
      name={at}
      schema={LogSearch}
      open={{ row: String(entry.id) }}
      className="font-normal tabular touch-target"
    >
      {isCard && entry.model_name !== '' && (
        <span className="block truncate font-medium">{entry.model_name}</span>
      )}
      <span className={isCard ? 'text-caption text-muted' : 'whitespace-nowrap'}>{at}</span>
    </RecordLink>
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
    <span className="mt-0.5 block max-w-32 truncate text-caption text-danger" title={reason}>
      {reason}
    </span>
  )
}

/** The requested model, and the upstream model when a mapping replaced it. */
export function ModelCell({ row: { entry, detail } }: { readonly row: Row }) {
  const t = useScreenText()
  const { model_name: model } = entry
  if (model === '')
    return isRequest(entry) || isFailed(entry) ? NONE : <ContentCell content={entry.content} />
  const upstream = detail.is_model_mapped ? detail.upstream_model_name : undefined
  return (
    <span className="flex max-w-52 items-center gap-2">
      <Monogram name={model} />
      <LinkedValue menu={<ValueMenu isBeside field="model" value={model} />}>
        <ModelLink model={model} className={`${LINK} font-mono text-caption`} />
      </LinkedValue>
      {upstream && (
        <PopoverButton
          label={t('mappedTo', { model: upstream })}
          hasTooltip
          className="shrink-0 rounded-control text-info touch-target"
          content="→"
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

export const GroupCell = ({ entry: { group } }: EntryProps) =>
  group === '' ? NONE : <ValueMenu field="group" value={group} className="block max-w-28 truncate" />

interface EntryProps {
  readonly entry: LogEntry
}

export function TokenCell({ entry }: EntryProps) {
  const { token_name: name } = entry
  if (name === '') return NONE
  return (
    <LinkedValue menu={<ValueMenu isBeside field="token" value={name} />}>
      <TokenName entry={entry} className={LINK} />
    </LinkedValue>
  )
}

export function ChannelCell({ entry }: EntryProps) {
  const { channel: id, channel_name: name } = entry
  if (id === 0) return NONE
  const menu = <ValueMenu isBeside field="channel" value={String(id)} name={`${name} #${id}`.trim()} />
  return (
    <LinkedValue menu={menu}>
      <ChannelName entry={entry} className={LINK} />
    </LinkedValue>
  )
}

/** A username that links to the user, beside a card with balance, usage and number of requests. */
export function UserCell({ entry }: EntryProps) {
  const t = useScreenText()
  const name = useIsMasked() ? maskedMoney() : entry.username
  if (entry.username === '') return NONE
  return (
    <LinkedValue
      menu={
        <PopoverButton label={t('userNamed', { name })} className={MENU} content={MENU_ICON}>
          {close => <UserCard entry={entry} onClose={close} />}
        </PopoverButton>
      }
    >
      <UserName entry={entry} className={LINK} />
    </LinkedValue>
  )
}

interface NameProps extends EntryProps {
  readonly className?: string
}

/** The name of an entry's token; a link to the reader's own. */
export function TokenName({ entry, className = '' }: NameProps) {
  const self = useUser()
  const { token_id: id, token_name: name } = entry
  if (id === 0 || entry.user_id !== self?.id) return <span className={className}>{name}</span>
  return (
    <TokenLink id={id} className={className}>
      {name}
    </TokenLink>
  )
}

/** The name of an entry's channel. A deleted channel has neither name nor page. */
export function ChannelName({ entry: { channel: id, channel_name: name }, className = '' }: NameProps) {
  if (name === '') return <span className={className}>{`#${id}`}</span>
  return (
    <ChannelLink id={id} className={className}>
      {name} <span className="text-subtle">{`#${id}`}</span>
    </ChannelLink>
  )
}

/** The name of an entry's user; a link where the reader may open the user. */
export function UserName({ entry, className = '' }: NameProps) {
  const self = useUser()
  const { user_id: id, user_role: role, username } = entry
  const name = useIsMasked() ? maskedMoney() : username
  const isOpen = role > 0 && (id === self?.id || role < (self?.role ?? 0) || hasRole(self, 'root'))
  if (!isOpen) return <span className={className}>{name}</span>
  return (
    <UserLink id={id} className={className}>
      {name}
    </UserLink>
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
      <span
        className={isFailed(entry) ? '' : TONE_CLASSES[durationTone(totalMs / MS)]}
        title={t('totalTime')}
      >
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

const MENU =
  'shrink-0 rounded-control p-0.5 text-muted opacity-0 touch-target hover:text-accent focus-visible:opacity-100 group-hover/value:opacity-100 aria-expanded:opacity-100 coarse:opacity-100'
const MENU_ICON = <ChevronDown size={13} aria-hidden />

interface LinkedValueProps {
  readonly menu: ReactNode
  /** The link. */
  readonly children: ReactNode
}

/** A link and its menu: a link can be copied and opened in a tab of its own, which a button cannot. */
const LinkedValue = ({ menu, children }: LinkedValueProps) => (
  <span className="group/value flex max-w-36 min-w-0 items-center gap-0.5">
    {children}
    {menu}
  </span>
)

interface ValueMenuProps {
  readonly field: FilterField
  readonly value: string
  /** The displayed name of the value. */
  readonly name?: string
  readonly className?: string
  /** Only an icon, beside a link that shows the name. */
  readonly isBeside?: boolean
  readonly children?: ReactNode
}

/** A value with a menu that filters the list by it, excludes it, or copies it. */
function ValueMenu({
  field,
  value,
  name = value,
  className = '',
  isBeside = false,
  children = name,
}: ValueMenuProps) {
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
    <MenuButton
      variant="text"
      label={t('filterBy', { value: name })}
      items={items}
      className={isBeside ? MENU : className}
    >
      {isBeside ? MENU_ICON : children}
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
