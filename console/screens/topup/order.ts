import type { TopUp } from '#contract/billing/top-ups.ts'
import type { BadgeMark, Tone } from '../../ui/data/status-badge.tsx'
import type { PaymentMethod } from './queries.ts'

type StatusKey = 'pendingStatus' | 'paid' | 'expired' | 'unknownStatus'
type EventKey =
  | 'created'
  | 'sent'
  | 'callback'
  | 'asked'
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

const EVENT_KEYS: Readonly<Record<string, EventKey>> = {
  created: 'created',
  sent: 'sent',
  callback: 'callback',
  asked: 'asked',
  signature: 'signature',
  refused: 'refused',
  credited: 'credited',
  expired: 'orderExpired',
}

/** The word of a step; undefined for one that this console does not know. */
export const eventKey = (event: string): EventKey | undefined =>
  Object.hasOwn(EVENT_KEYS, event) ? EVENT_KEYS[event] : undefined

const METHODS: Readonly<Record<string, readonly [PaymentMethod, 'alipay' | 'wechat']>> = {
  alipay: ['zfb', 'alipay'],
  zfb: ['zfb', 'alipay'],
  wxpay: ['wx', 'wechat'],
  wx: ['wx', 'wechat'],
}

/** How an order is paid, as our calls and as people say it, by the name that the order keeps. */
export const paymentMethod = (method: string) =>
  Object.hasOwn(METHODS, method) ? METHODS[method] : undefined
