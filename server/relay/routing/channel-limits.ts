import { nowSeconds } from '../../core/clock.ts'

/** What the operator allows a channel; absent: no limit. */
export interface ChannelLimits {
  readonly concurrency?: number
  readonly requestsPerMinute?: number
}

const MINUTE_SECONDS = 60

/** How much a channel is used by this process: calls under way, and calls begun in this minute of the clock. */
export class ChannelLoad {
  private underWay = 0
  private minute = 0
  private begunInMinute = 0

  obstacle(limits: ChannelLimits, processes: number): 'concurrency limit' | 'rate limit' | undefined {
    const { concurrency, requestsPerMinute } = limits
    if (concurrency !== undefined && this.underWay >= shareOf(concurrency, processes))
      return 'concurrency limit'
    if (requestsPerMinute === undefined) return undefined
    const isFull = this.minute === thisMinute() && this.begunInMinute >= shareOf(requestsPerMinute, processes)
    return isFull ? 'rate limit' : undefined
  }

  /** Gives the minute in which the call counts, where calls are counted. */
  begin({ requestsPerMinute }: ChannelLimits): number | undefined {
    this.underWay += 1
    if (requestsPerMinute === undefined) return undefined
    if (this.minute !== thisMinute()) this.begunInMinute = 0
    this.minute = thisMinute()
    this.begunInMinute += 1
    return this.minute
  }

  /** The call was not made after all. */
  giveBack(minute: number | undefined): void {
    if (minute === this.minute) this.begunInMinute -= 1
  }

  end(): void {
    this.underWay -= 1
  }
}

const thisMinute = (): number => Math.floor(nowSeconds() / MINUTE_SECONDS)

/** Rounded down, so that all processes together stay within it; a limit smaller than their number is one each. */
const shareOf = (limit: number, processes: number): number => Math.max(1, Math.floor(limit / processes))
