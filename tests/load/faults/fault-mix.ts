import type { Random } from '../../harness/random.ts'

/** One request of the mix. */
export interface FaultShare {
  readonly isStream: boolean
  /** Lab scenario. Empty: no fault. */
  readonly script: string
  /** The client disconnects after the first bytes. */
  readonly isLeft: boolean
}

/** Faults that apply to the request on every channel. */
const REJECTIONS = [
  'status-500',
  'status-503',
  'status-400',
  'status-408',
  'context-length',
  'overloaded',
  'html',
  'garbage',
  'empty',
  'hidden-error',
  'reset',
] as const
/** Unusual but valid responses. */
const ODDITIES = [
  'no-usage',
  'zero-usage',
  'no-end-mark',
  'wrong-type',
  'json-for-stream',
  'stream-for-json',
  'drip-7',
  'first-token-20',
  'slow-headers-20',
  'cached-3',
  'think-4',
] as const
/** Responses that break off after some output. */
const BREAKS = ['cut-3', 'half-event-3', 'no-finish-3', 'error-event-3', 'broken-event-3', 'cut-9'] as const
const LEAVINGS = ['pace-2+tokens-200', 'stall-3', 'pace-5+tokens-50'] as const

/** Faults of single channels during the run. Empty: the channel recovers. */
export const CHANNEL_FAULTS = ['status-500', '', 'cut-0', 'garbage', '', 'reset', ''] as const

/** Shares per hundred requests: normal, unusual, rejected, broken, aborted by the client. */
const SHARES = { well: 70, strange: 10, rejected: 10, broken: 6 } as const

export function optionOf(random: Random): FaultShare {
  const isStream = random.pick([true, false])
  const dice = random.integer(1, 100)
  const { well, strange, rejected, broken } = SHARES
  if (dice <= well) return { isStream, script: '', isLeft: false }
  if (dice <= well + strange) return { isStream, script: random.pick(ODDITIES), isLeft: false }
  if (dice <= well + strange + rejected) return { isStream, script: random.pick(REJECTIONS), isLeft: false }
  if (dice <= well + strange + rejected + broken)
    return { isStream: true, script: random.pick(BREAKS), isLeft: false }
  return { isStream: true, script: random.pick(LEAVINGS), isLeft: true }
}
