import type { BadgeMark, Tone } from '#console/ui/data/badges.tsx'
import type { TopUp } from '../contract.ts'
import type { PaymentMethod } from './queries.ts'

type StatusKey = 'pendingStatus' | 'paid' | 'expired' | 'unknownStatus'
type EventKey =
  | 'created'
  | 'sent'
  | 'callback'
  | 'providerQueried'
  | 'signature'
  | 'refused'
  | 'credited'
  | 'orderExpired'

const PENDING = 'pending'
const PAID = 'success'

const STATUS_BADGES: Readonly<Record<string, readonly [StatusKey, Tone, BadgeMark]>> = {
  [PENDING]: ['pendingStatus', 'warning', 'clock'],
  [PAID]: ['paid', 'success', 'filled'],
  expired: ['expired', 'neutral', 'hollow'],
}

export const isPaid = ({ status }: TopUp): boolean => status === PAID
export const isPending = ({ status }: TopUp): boolean => status === PENDING

export const orderBadge = ({ status }: TopUp): readonly [StatusKey, Tone, BadgeMark] =>
  STATUS_BADGES[status] ?? ['unknownStatus', 'unknown', 'none']

const EVENT_KEYS: ReadonlyMap<string, EventKey> = new Map([
  ['created', 'created'],
  ['sent', 'sent'],
  ['callback', 'callback'],
  ['asked', 'providerQueried'],
  ['signature', 'signature'],
  ['refused', 'refused'],
  ['credited', 'credited'],
  ['expired', 'orderExpired'],
])

/** The text key of a timeline event; undefined for one that this console does not know. */
export const eventKey = (event: string): EventKey | undefined => EVENT_KEYS.get(event)

type MethodKey = 'alipay' | 'wechat'

const METHODS: ReadonlyMap<string, readonly [PaymentMethod, MethodKey]> = new Map([
  ['alipay', ['zfb', 'alipay']],
  ['zfb', ['zfb', 'alipay']],
  ['wxpay', ['wx', 'wechat']],
  ['wx', ['wx', 'wechat']],
])

/** The method of an order, as the pay call names it and as a text key. Orders store either vocabulary. */
export const paymentMethod = (method: string): readonly [PaymentMethod, MethodKey] | undefined =>
  METHODS.get(method)
