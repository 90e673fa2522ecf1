import type { AnswerFlow } from './answer-flow.ts'

/** The answer's bytes at the client's pace: upstream bytes are read only when the client wants more. */
export function stream(flow: AnswerFlow): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { text, isLast } = await flow.next()
        if (text !== '') controller.enqueue(encoder.encode(text))
        if (isLast) controller.close()
      },
      cancel: () => flow.leave(),
    },
    { highWaterMark: 0 },
  )
}
