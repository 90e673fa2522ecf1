import { isFailed, type Row } from '../entry.ts'

export interface Reader {
  readonly isAdmin: boolean
  readonly isRoot: boolean
  /** Made the request. */
  readonly isOwner: boolean
}

interface Remedy {
  readonly textKey:
    | 'topUp'
    | 'otherModels'
    | 'editToken'
    | 'raiseBalance'
    | 'openUser'
    | 'previewRoute'
    | 'setPrice'
    | 'rateLimits'
    | 'sensitiveWords'
  readonly screen: `/${string}`
  readonly to?: string
  readonly search?: Readonly<Record<string, string>>
}

/** Undefined where the reader may not change it. */
type FindRemedy = (row: Row, reader: Reader) => Remedy | undefined

const topUp: FindRemedy = (_, { isOwner }) => (isOwner ? { textKey: 'topUp', screen: '/topup' } : undefined)

const otherModels: FindRemedy = (_, { isOwner }) =>
  isOwner ? { textKey: 'otherModels', screen: '/pricing' } : undefined

const editToken: FindRemedy = ({ entry }, { isOwner }) =>
  isOwner && entry.token_id > 0
    ? { textKey: 'editToken', screen: '/token', search: { edit: String(entry.token_id) } }
    : undefined

const openUser =
  (textKey: 'raiseBalance' | 'openUser'): FindRemedy =>
  ({ entry }, { isAdmin, isOwner }) =>
    isAdmin && !isOwner ? { textKey, screen: '/user', to: `/user/edit/${entry.user_id}` } : undefined

const previewRoute: FindRemedy = ({ entry }, { isAdmin }) =>
  isAdmin && entry.model_name !== ''
    ? {
        textKey: 'previewRoute',
        screen: '/channel',
        search: { preview: '1', route: entry.model_name, routegroup: entry.group },
      }
    : undefined

const setting =
  (textKey: 'rateLimits' | 'sensitiveWords', section: string): FindRemedy =>
  (_, { isRoot }) =>
    isRoot ? { textKey, screen: '/setting', search: { tab: 'operation', section } } : undefined

const setPrice: FindRemedy = (_, { isRoot }) =>
  isRoot
    ? {
        textKey: 'setPrice',
        screen: '/setting',
        search: { tab: 'operation', section: 'models', prices: 'unpriced' },
      }
    : undefined

const OF_TOKEN = [editToken, openUser('openUser')]
const OF_MODEL = [previewRoute, otherModels]

/** By error code. */
const REMEDIES: ReadonlyMap<string, readonly FindRemedy[]> = new Map([
  ['insufficient_user_quota', [topUp, openUser('raiseBalance')]],
  ['insufficient_token_quota', OF_TOKEN],
  ['token_exhausted', OF_TOKEN],
  ['token_expired', OF_TOKEN],
  ['token_disabled', OF_TOKEN],
  ['ip_not_allowed', OF_TOKEN],
  ['group_not_allowed', OF_TOKEN],
  ['model_not_allowed', [...OF_TOKEN, otherModels]],
  ['user_banned', [openUser('openUser')]],
  ['model_not_found', OF_MODEL],
  ['no_available_channel', OF_MODEL],
  ['model_price_missing', [setPrice, otherModels]],
  ['too_many_requests', [editToken, setting('rateLimits', 'ModelRequestRateLimitCount')]],
  ['sensitive_words_detected', [setting('sensitiveWords', 'SensitiveWords')]],
])

/** What lets the next request of this kind succeed, as far as the reader may change it. */
export function remediesFor(row: Row, reader: Reader): readonly Remedy[] {
  if (!isFailed(row.entry)) return []
  return (REMEDIES.get(row.detail.error?.code ?? '') ?? []).flatMap(find => find(row, reader) ?? [])
}
