import { setDeadline } from '../kernel/deadlines.ts'
import { GatewayError } from '../kernel/errors.ts'
import { networkReason } from './network-reason.ts'
import type { RelayTimeouts } from './timeouts.ts'
import type { UpstreamResponse } from './wire/upstream-response.ts'

/** Reads an answer piece by piece, and ends the call when nothing comes for too long. */
export class PatientReader {
  private readonly response: UpstreamResponse
  private readonly idleMs: number
  /** Until the next piece. */
  private patienceMs: number
  /** One for all pieces: a stream has many. */
  private readonly giveUp = (): void =>
    this.response.cancel(
      new GatewayError('upstream_timeout', `the upstream sent nothing for ${inSeconds(this.patienceMs)}`),
    )

  constructor(
    response: UpstreamResponse,
    { firstEventMs, idleMs }: Pick<RelayTimeouts, 'firstEventMs' | 'idleMs'>,
  ) {
    this.response = response
    this.patienceMs = firstEventMs
    this.idleMs = idleMs
  }

  /**
   * The next bytes; undefined at the end. Throws GatewayError `upstream_timeout` when they take too long and
   * `upstream_bad_answer` when the answer breaks off.
   */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const deadline = setDeadline(this.patienceMs, this.giveUp)
    try {
      return await this.response.next()
    } catch (cause) {
      throw cause instanceof GatewayError ? cause : brokenOff(cause)
    } finally {
      deadline.drop()
      this.patienceMs = this.idleMs
    }
  }

  /** Ends the call. */
  cancel(): void {
    this.response.cancel()
  }
}

const brokenOff = (cause: unknown): GatewayError =>
  new GatewayError('upstream_bad_answer', `the upstream's stream broke off (${networkReason(cause)})`, {
    cause,
  })

const inSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`
