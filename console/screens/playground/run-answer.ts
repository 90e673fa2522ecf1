import { CallError, plainErrorText } from '../../app/api/call.ts'
import { startStopwatch } from '../../app/time/time.tsx'
import type { ChatBody } from './build-body.ts'
import { type Exchange, NO_EXCHANGE, withEvent } from './exchange.ts'
import { openAnswer } from './queries.ts'
import { readChunk, withChunk } from './read-chunk.ts'
import { type AnswerFacts, awaitedAnswer, type Turn } from './turn.ts'

const END = '[DONE]'

type Show = (turn: Turn, exchange: Exchange) => void

interface Run {
  readonly body: ChatBody
  readonly signal: AbortSignal
  readonly show: Show
}

/** Follows an answer to its end, however it ends. What has arrived stays. */
export async function runAnswer({ body, signal, show }: Run): Promise<void> {
  const answer = beginAnswer(body, show)
  try {
    const { requestId, events } = await openAnswer(body, signal)
    answer.learn({ requestId })
    for await (const event of events) answer.take(event)
    answer.end({ state: 'complete' })
  } catch (error) {
    if (signal.aborted) {
      answer.learn({ isStopped: true })
      answer.end({ state: 'complete' })
    } else answer.end({ state: 'error', problem: problemOf(error) })
  }
}

/** What a stream says about its end is shown as it came. */
const problemOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof CallError) ? error.message : plainErrorText(error)

/** An answer that grows, drawn as it does. `take` throws what the stream says went wrong. */
function beginAnswer(body: ChatBody, show: Show) {
  const since = startStopwatch()
  let turn = awaitedAnswer(body.model)
  let exchange: Exchange = { ...NO_EXCHANGE, body }
  const draw = drawnOncePerFrame(() => show(turn, exchange))
  const learn = (facts: Partial<AnswerFacts>) => {
    turn = { ...turn, facts: { model: body.model, requestId: '', isStopped: false, ...turn.facts, ...facts } }
  }
  draw.now()
  return {
    learn,
    take(event: string): void {
      exchange = withEvent(exchange, event, since())
      const chunk = event === END ? undefined : readChunk(event)
      if (!chunk) return
      if (chunk.error) throw new Error(chunk.error.message)
      const wasAwaited = turn.state === 'loading'
      turn = withChunk(turn, chunk)
      if (wasAwaited && turn.state === 'incomplete') learn({ firstMs: since() })
      draw.soon()
    },
    end(ending: Pick<Turn, 'state'> & Partial<Pick<Turn, 'problem'>>): void {
      learn({ totalMs: since() })
      turn = { ...turn, ...ending }
      draw.now()
    },
  }
}

/** However fast the pieces come, the page is drawn at most once a frame. */
function drawnOncePerFrame(draw: () => void) {
  let frame = 0
  const now = () => {
    cancelAnimationFrame(frame)
    frame = 0
    draw()
  }
  return {
    now,
    soon: () => {
      if (frame === 0) frame = requestAnimationFrame(now)
    },
  }
}
