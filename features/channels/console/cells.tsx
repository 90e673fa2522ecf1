import { Tags } from 'lucide-react'
import { Suspense } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { formatDateTime, formatDollars, maskedMoney } from '#console/app/format/format.tsx'
import { ChannelLink, ModelLink } from '#console/app/list/record-link.tsx'
import { useIsMasked } from '#console/app/preferences/privacy.tsx'
import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { PopoverButton } from '#console/ui/buttons/popup-buttons.tsx'
import { Monogram, StatusBadge, Tag } from '#console/ui/data/badges.tsx'
import { InlineNumber } from '#console/ui/forms/inline-number.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { distinctNames } from '#contract/fields.ts'
import type { Channel } from '../contract/channels.ts'
import { channelBadge, channelRemark } from './channel.ts'
import { useChannelHealth } from './health.tsx'
import { useChannelMutations, useTagMutations, useTypeNames } from './queries.ts'
import type { TagRow } from './rows.ts'
import { useScreenText } from './text.ts'

const statusDetails = lazyPart(async () => (await import('./status-details.tsx')).StatusDetails)

const GROUPS_SHOWN = 1
const PRIORITY_MIN = -999

interface NameCellProps {
  readonly channel: Channel
  /** A card has room for name and id on one line. */
  readonly isCard?: boolean
}

export function NameCell({ channel, isCard = false }: NameCellProps) {
  return (
    <span
      className={
        isCard
          ? 'flex items-baseline gap-2'
          : 'grid max-w-40 min-w-36 justify-items-start xl:max-w-48 2xl:max-w-52 min-[1700px]:max-w-80'
      }
    >
      <ChannelLink
        id={channel.id}
        keepsSearch
        title={channel.name}
        className="max-w-full truncate font-medium text-fg touch-line"
      >
        {channel.name}
      </ChannelLink>
      <span className="text-caption font-normal text-subtle tabular">#{channel.id}</span>
    </span>
  )
}

export function GroupsCell({ groups }: { readonly groups: readonly string[] }) {
  const sorted = groups.toSorted((a, b) => Number(b === 'default') - Number(a === 'default'))
  const rest = sorted.slice(GROUPS_SHOWN)
  return (
    <span className="flex items-center gap-1">
      {sorted.slice(0, GROUPS_SHOWN).map(group => (
        <Tag key={group} hasSwatch>
          {group}
        </Tag>
      ))}
      {rest.length > 0 && (
        <span className="text-caption text-muted" title={rest.join(', ')}>
          +{rest.length}
        </span>
      )}
    </span>
  )
}

export function TypeCell({ type }: { readonly type: number }) {
  const t = useScreenText()
  const name = useTypeNames().get(type)?.name ?? t('unknownType', { type })
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <Monogram name={name} />
      <span className="max-w-24 truncate xl:max-w-28" title={name}>
        {name}
      </span>
    </span>
  )
}

export function ModelsCell({ models: list }: { readonly models: string }) {
  const t = useScreenText()
  const models = distinctNames(list)
  return (
    <PopoverButton
      label={t('modelsOf', { count: models.length })}
      className="-mr-1.5 h-6 rounded-control px-1.5 tabular touch-target hover:bg-selected"
      content={models.length}
    >
      {() => (
        <div className="grid">
          <div className="flex items-center justify-between gap-4 border-b border-line py-1.5 pr-1.5 pl-3 text-small font-medium">
            {t('modelsOf', { count: models.length })}
            <CopyButton text={models.join(',')} label={t('copyModels')} />
          </div>
          <ul className="max-h-72 overflow-y-auto px-3 py-2 font-mono text-caption leading-5">
            {models.map(model => (
              <li key={model} className="break-all">
                <ModelLink model={model} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </PopoverButton>
  )
}

/** The balance at the provider as last queried. Clicking queries it again where the provider supports that. */
export function BalanceCell({ channel }: { readonly channel: Channel }) {
  const t = useScreenText()
  const language = useLanguage()
  const isMasked = useIsMasked()
  const { queryBalance } = useChannelMutations()
  const canQuery = useTypeNames().get(channel.type)?.can_query_balance ?? false
  const time = channel.balance_updated_time
  const hint = time === 0 ? t('balanceNever') : t('balanceAt', { time: formatDateTime(time) })
  const known = isMasked ? maskedMoney() : formatDollars(channel.balance, language)
  if (!canQuery)
    return (
      <span className="text-caption text-subtle" title={t('balanceUnsupported')}>
        {time === 0 ? null : t('left', { amount: known })}
      </span>
    )
  return (
    <button
      type="button"
      title={hint}
      aria-label={t('queryBalance', { name: channel.name, balance: time === 0 ? '?' : known })}
      aria-busy={queryBalance.isPending}
      disabled={queryBalance.isPending}
      onClick={() => queryBalance.mutate(channel.id)}
      className="rounded-control text-caption text-accent tabular touch-target underline-offset-2 hover:underline disabled:opacity-55"
    >
      {time === 0 ? t('queryBalanceShort') : t('left', { amount: known })}
    </button>
  )
}

interface NumberCellProps {
  readonly channel: Channel
  readonly field: 'priority' | 'weight'
}

export function NumberCell({ channel, field }: NumberCellProps) {
  const t = useScreenText()
  const { change } = useChannelMutations()
  const save = (value: number) =>
    change.mutateAsync({ id: channel.id, [field]: value }).then(
      () => true,
      () => false,
    )
  return (
    <InlineNumber
      label={t('fieldOf', { field: t(field), name: channel.name })}
      value={channel[field]}
      min={field === 'priority' ? PRIORITY_MIN : 0}
      onSave={save}
    />
  )
}

/** The status of a channel. What the gateway did to it, or to its models, and why, is in a popover. */
export function StatusCell({ channel }: { readonly channel: Channel }) {
  const t = useScreenText()
  const { textKey, tone, mark } = channelBadge(channel, useChannelHealth(channel.id)?.state)
  const stopped = channel.stopped_models
  const label = t(textKey, { status: channel.status, count: stopped.length })
  const remark = channelRemark(channel)
  const badge = (
    <StatusBadge tone={tone} mark={mark}>
      {label}
    </StatusBadge>
  )
  if (!remark && stopped.length === 0) return badge
  return (
    <PopoverButton
      label={`${label}: ${remark ? remark.reason || t('noReason') : stopped.map(({ model }) => model).join(', ')}`}
      hasTooltip
      className="rounded-full touch-target"
      content={badge}
    >
      {() => (
        <Suspense fallback={null}>
          <statusDetails.Part channel={channel} />
        </Suspense>
      )}
    </PopoverButton>
  )
}

export function TagNameCell({ row }: { readonly row: TagRow }) {
  const t = useScreenText()
  return (
    <span className="flex items-center gap-2">
      <Tags size={15} aria-hidden className="shrink-0 text-muted" />
      <span className="max-w-32 shrink-0 truncate sm:max-w-56">{row.tag || t('untagged')}</span>
      <span className="min-w-0 truncate font-normal text-subtle tabular">
        {t('channelsOf', { count: row.channelRows.length })}
      </span>
    </span>
  )
}

export function TagStatusCell({ row }: { readonly row: TagRow }) {
  const t = useScreenText()
  const { enabledCount, channelRows } = row
  const tone = enabledCount === channelRows.length ? 'success' : enabledCount === 0 ? 'neutral' : 'warning'
  const mark = enabledCount === channelRows.length ? 'filled' : enabledCount === 0 ? 'hollow' : 'triangle'
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t('enabledOf', { enabled: enabledCount, total: channelRows.length })}
    </StatusBadge>
  )
}

interface TagNumberCellProps {
  readonly row: TagRow
  readonly field: 'priority' | 'weight'
}

/** Edits the priority or weight of all channels of a tag, after a confirmation. */
export function TagNumberCell({ row, field }: TagNumberCellProps) {
  const t = useScreenText()
  const { update } = useTagMutations()
  const { tag, channelRows } = row
  if (tag === '') return <span className="text-muted tabular">{row[field] ?? t('mixed')}</span>
  const save = async (value: number) => {
    const isSure = await confirm({
      title: t('tagNumberTitle', { tag, field: t(field), value }),
      text: t('tagNumberText', { count: channelRows.length }),
      action: t('apply'),
    })
    if (!isSure) return false
    try {
      await update.mutateAsync({ tag, [field]: value })
    } catch (error) {
      toast('error', errorText(error))
      return false
    }
    toast('success', t('tagUpdated'))
    return true
  }
  return (
    <InlineNumber
      label={t('fieldOf', { field: t(field), name: tag })}
      value={row[field]}
      mixed={t('mixed')}
      min={field === 'priority' ? PRIORITY_MIN : 0}
      onSave={save}
    />
  )
}
