import type { ChatBody } from './build-body.ts'

const EVENTS_MAX = 500

interface SeenEvent {
  /** Milliseconds after the request. */
  readonly at: number
  readonly text: string
}

/** What went over the wire for the last answer. */
export interface Exchange {
  readonly body: ChatBody | undefined
  /** The first five hundred. */
  readonly events: readonly SeenEvent[]
  readonly count: number
}

export const NO_EXCHANGE: Exchange = { body: undefined, events: [], count: 0 }

export const withEvent = (exchange: Exchange, text: string, at: number): Exchange => ({
  ...exchange,
  events: exchange.events.length < EVENTS_MAX ? [...exchange.events, { at, text }] : exchange.events,
  count: exchange.count + 1,
})
