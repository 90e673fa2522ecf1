import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { apiErrors } from '../core/api-error.ts'
import { readAnswerText, type Send } from '../relay/upstream/send.ts'

const ANSWER_TIMEOUT_MS = 5000

const refuse = apiErrors('party', {
  unreachable: {
    zh: '无法连接至 {party} 服务器，请稍后重试！',
    en: '{party} cannot be reached, try again later',
  },
})

/** What asking another party works with. */
export interface Outside {
  readonly send: Send
  readonly log: Logger
  /** Aborted when whoever waits for the answer has gone. */
  readonly signal: AbortSignal
}

export interface Question {
  /** For people. */
  readonly party: string
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Asks another party and gives its JSON, whatever its status. Throws the refusal party.unreachable when nothing
 * readable comes back in time; why stands in the log only.
 */
export async function askParty(question: Question, { send, log, signal }: Outside): Promise<unknown> {
  const { party, ...request } = question
  const sent = await send(request, {
    waiter: { signal },
    headersTimeoutMs: ANSWER_TIMEOUT_MS,
    proxy: undefined,
  })
  try {
    if (sent.kind === 'failure') throw new Error(sent.failure.message)
    return JSON.parse(await readAnswerText(sent, ANSWER_TIMEOUT_MS))
  } catch (error) {
    log.warn('another party gave no answer', { party, reason: errorMessage(error) })
    throw refuse('unreachable', { party })
  }
}
