import type { TopUp } from '#contract/top-ups.ts'
import type { BadgeMark, Tone } from '../../ui/status-badge.tsx'
import type { PaymentMethod } from './queries.ts'

type StatusWord = 'pendingStatus' | 'paid' | 'expired' | 'unknownStatus'
type EventWord =
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

const FACES: Readonly<Record<string, readonly [StatusWord, Tone, BadgeMark]>> = {
  [PENDING]: ['pendingStatus', 'warning', 'clock'],
  [PAID]: ['paid', 'success', 'filled'],
  expired: ['expired', 'neutral', 'hollow'],
}

export const isPaid = ({ status }: TopUp): boolean => status === PAID
export const isPending = ({ status }: TopUp): boolean => status === PENDING

export const statusFace = ({ status }: TopUp): readonly [StatusWord, Tone, BadgeMark] =>
  FACES[status] ?? ['unknownStatus', 'unknown', 'none']

const EVENTS: Readonly<Record<string, EventWord>> = {
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
export const eventWord = (event: string): EventWord | undefined =>
  Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined

const METHODS: Readonly<Record<string, readonly [PaymentMethod, 'alipay' | 'wechat']>> = {
  alipay: ['zfb', 'alipay'],
  zfb: ['zfb', 'alipay'],
  wxpay: ['wx', 'wechat'],
  wx: ['wx', 'wechat'],
}

/** How an order is paid, as our calls and as people say it, by the name that the order keeps. */
export const wayOf = (method: string) => (Object.hasOwn(METHODS, method) ? METHODS[method] : undefined)
