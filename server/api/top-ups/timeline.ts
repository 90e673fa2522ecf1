import { z } from 'zod'
import { TopUpEvent } from '#contract/billing/top-ups.ts'
import { nowSeconds } from '../../core/clock.ts'

/** What comes after these is left out but the credit, so that nobody can make an order grow by calling again and again. */
const EVENTS_MAX = 50
const DETAIL_LENGTH_MAX = 200

type EventName = 'created' | 'sent' | 'callback' | 'signature' | 'asked' | 'refused' | 'credited'

export const readTimeline = (text: string): TopUpEvent[] => z.array(TopUpEvent).parse(JSON.parse(text))

/** The text of a timeline with events added to it, as of now. */
export function withEvents(text: string, events: readonly (readonly [EventName, string])[]): string {
  const at = nowSeconds()
  const added = events.map(([event, detail]) => ({ at, event, detail: detail.slice(0, DETAIL_LENGTH_MAX) }))
  const all = [...readTimeline(text), ...added]
  return JSON.stringify(all.filter(({ event }, index) => index < EVENTS_MAX || event === 'credited'))
}
