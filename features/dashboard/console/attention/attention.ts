import { z } from 'zod'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import type { BackupState } from '#features/backups/contract.ts'
import type { ChannelHealth } from '#features/channel-health/contract.ts'
import type { Channel } from '#features/channels/contract/channels.ts'

/** What is known of the installation; undefined where it is loading, or where the reader may not see it. */
/** A user who spends much more than usual; amounts as readers see them. */
interface Spike {
  readonly id: number
  readonly name: string
  readonly amount: string
  readonly usual: string
  /** Unix seconds. */
  readonly since: number
}

export interface InstallationState {
  readonly channels: readonly Channel[] | undefined
  readonly health: readonly ChannelHealth[] | undefined
  readonly spikes: readonly Spike[] | undefined
  readonly unpricedModels: readonly string[] | undefined
  readonly hasSharedLimits: boolean | undefined
  /** null: unknown. */
  readonly diskFullInDays: number | null | undefined
  readonly backups: BackupState | undefined
}

export interface Concern {
  readonly key: string
  readonly tone: 'danger' | 'warning'
  readonly textKey:
    | 'channelFailing'
    | 'channelDegraded'
    | 'channelDisabled'
    | 'modelsStopped'
    | 'balanceLow'
    | 'usageSpike'
    | 'modelsUnpriced'
    | 'backupFailed'
    | 'backupLate'
    | 'diskFull'
    | 'limitsAlone'
  readonly values: Readonly<Record<string, string | number>>
  /** Unix seconds of when it happened; 0 where that is unknown. */
  readonly at: number
  readonly screen: `/${string}`
  readonly to?: string
  readonly search?: Readonly<Record<string, string>>
}

const LOW_BALANCE_DOLLARS = 5
const DISK_DAYS_MIN = 14
/** A backup may take its time. */
const LATE_INTERVALS = 2
const HOUR_SECONDS = 3600
const CENTS = 2

const LIMITS_ALONE: Concern = {
  key: 'limits',
  tone: 'danger',
  textKey: 'limitsAlone',
  values: {},
  at: 0,
  screen: '/setting',
  search: { tab: 'operation', section: 'rateLimit' },
}

/** What an operator should look at, the worst first. */
export function findConcerns(state: InstallationState, nowSeconds: number): readonly Concern[] {
  const health = new Map(state.health?.map(one => [one.id, one]))
  const concerns = [
    ...(state.channels ?? []).flatMap(channel => channelConcerns(channel, health.get(channel.id))),
    ...(state.spikes ?? []).map(spikeConcern),
    ...priceConcerns(state.unpricedModels ?? []),
    ...(state.hasSharedLimits === false ? [LIMITS_ALONE] : []),
    ...diskConcerns(state.diskFullInDays ?? DISK_DAYS_MIN),
    ...(state.backups ? backupConcerns(state.backups, nowSeconds) : []),
  ]
  return concerns.toSorted((a, b) => Number(a.tone === 'warning') - Number(b.tone === 'warning'))
}

function channelConcerns(channel: Channel, health: ChannelHealth | undefined): readonly Concern[] {
  const { id, name, status, stopped_models, balance, balance_updated_time } = channel
  const concern = (
    tone: Concern['tone'],
    textKey: Concern['textKey'],
    { at, ...values }: Concern['values'] & { readonly at: number },
  ): Concern => ({
    key: `${textKey} ${id}`,
    tone,
    textKey,
    values: { name, ...values },
    at,
    screen: '/channel',
    to: `/channel/edit/${id}`,
  })
  if (status === CHANNEL_STATUS.autoDisabled)
    return [concern('danger', 'channelDisabled', whyDisabled(channel.other_info))]
  if (status !== CHANNEL_STATUS.enabled) return []
  const failure = { error: health?.last_error ?? '', at: health?.last_error_at ?? 0 }
  return [
    ...(health?.state === 'failing' ? [concern('danger', 'channelFailing', failure)] : []),
    ...(health?.state === 'degraded' ? [concern('warning', 'channelDegraded', failure)] : []),
    ...(stopped_models.length > 0
      ? [
          concern('warning', 'modelsStopped', {
            count: stopped_models.length,
            at: Math.max(...stopped_models.map(({ stopped_at }) => stopped_at)),
          }),
        ]
      : []),
    ...(balance_updated_time > 0 && balance < LOW_BALANCE_DOLLARS
      ? [
          concern('warning', 'balanceLow', {
            amount: `$${balance.toFixed(CENTS)}`,
            at: balance_updated_time,
          }),
        ]
      : []),
  ]
}

const DisabledInfo = z.object({ status_reason: z.string(), status_time: z.number() })

/** Why and when the gateway disabled a channel. */
function whyDisabled(info: string): { readonly reason: string; readonly at: number } {
  const known = DisabledInfo.safeParse(parseJson(info)).data
  return { reason: known?.status_reason ?? '?', at: known?.status_time ?? 0 }
}

/** Undefined for anything but JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const spikeConcern = ({ id, since, ...values }: Spike): Concern => ({
  key: `usageSpike ${id}`,
  tone: 'warning',
  textKey: 'usageSpike',
  values,
  at: since,
  screen: '/user',
  to: `/user/edit/${id}`,
})

const priceConcerns = (models: readonly string[]): readonly Concern[] =>
  models.length === 0
    ? []
    : [
        {
          key: 'unpriced',
          tone: 'warning',
          textKey: 'modelsUnpriced',
          values: { count: models.length, model: models[0] ?? '' },
          at: 0,
          screen: '/setting',
          search: { tab: 'operation', section: 'models', prices: 'unpriced' },
        },
      ]

function backupConcerns(
  { is_configured, failure, interval_hours, backups }: BackupState,
  nowSeconds: number,
): readonly Concern[] {
  const place = { screen: '/setting', search: { tab: 'other' } } as const
  if (failure !== '')
    return [{ key: 'backup', tone: 'danger', textKey: 'backupFailed', values: {}, at: 0, ...place }]
  const [newest] = backups
  const isLate =
    is_configured &&
    interval_hours > 0 &&
    newest !== undefined &&
    nowSeconds - newest.created_at > LATE_INTERVALS * interval_hours * HOUR_SECONDS
  return isLate
    ? [{ key: 'backup', tone: 'warning', textKey: 'backupLate', values: {}, at: newest.created_at, ...place }]
    : []
}

/** Deleting log rows is the remedy. */
const diskConcerns = (days: number): readonly Concern[] =>
  days < DISK_DAYS_MIN
    ? [{ key: 'disk', tone: 'danger', textKey: 'diskFull', values: { days }, at: 0, screen: '/log' }]
    : []

/** The most rows of a page that lists have. */
export const PAGE_ROWS = 100
const PAGES_MAX = 20

/** Reads page after page, from 0, until one is not full; at most 20. */
export async function allPages<Row>(
  read: (page: number) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await read(page)
    rows.push(...found)
    if (found.length < PAGE_ROWS) break
  }
  return rows
}
