import { type Answer, answerOf, answerText, type LabToolCall, reasoningText } from '../answer.ts'
import type { Ask, Frame, Operation } from '../operation.ts'
import { GenerateBody, lastTextOf, promptOf } from './read-generate.ts'
import { gemini } from './vendor.ts'

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', tools: 'STOP', filter: 'SAFETY' } as const
const SIGNATURE = 'bGFiLXNpZ25hdHVyZQ=='

/** Source: ai.google.dev/api/generate-content */
export const generate: Operation = {
  method: 'POST',
  path: /\/(?:v1|v1beta)\/models\/([^/:]+):(?:streamG|g)enerateContent$/,
  vendor: gemini,
  asksForStream: url =>
    url.pathname.endsWith(':streamGenerateContent') && url.searchParams.get('alt') === 'sse',
  read: (body, target) =>
    GenerateBody.transform((read): Ask => {
      const prompt = promptOf(read, target)
      return {
        ...target,
        lastText: lastTextOf(read),
        reply(plan) {
          const answer = answerOf(prompt, plan)
          return { whole: () => wholeAnswer(answer), frames: () => answerFrames(answer) }
        },
      }
    }).safeParse(body),
}

interface Produced {
  readonly thoughts: number
  readonly candidates: number
}

function usageOf(answer: Answer, { thoughts, candidates }: Produced) {
  if (!answer.usage) return {}
  const { prompt, cached } = answer.usage
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      ...(cached > 0 && { cachedContentTokenCount: cached }),
      ...(candidates > 0 && { candidatesTokenCount: candidates }),
      ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
      totalTokenCount: prompt + thoughts + candidates,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    },
  }
}

/** A usage of zeros stays one while an answer grows. */
function producedBy(answer: Answer, produced: Produced): Produced {
  const isZero = answer.usage?.output === 0
  return isZero ? { thoughts: 0, candidates: 0 } : produced
}

const totalOf = (answer: Answer): Produced => ({
  thoughts: answer.usage?.reasoning ?? 0,
  candidates: (answer.usage?.output ?? 0) - (answer.usage?.reasoning ?? 0),
})

function response(answer: Answer, candidate: object, produced: Produced): unknown {
  return {
    candidates: [{ ...candidate, index: 0 }],
    ...usageOf(answer, producedBy(answer, produced)),
    modelVersion: answer.model,
    responseId: 'lab',
  }
}

const functionCall = (call: LabToolCall) => ({
  functionCall: { name: call.name, args: call.arguments },
  ...(call.index === 0 && { thoughtSignature: SIGNATURE }),
})

function wholeAnswer(answer: Answer): unknown {
  const parts = [
    ...(answer.reasoningTokens > 0 ? [{ text: reasoningText(answer), thought: true }] : []),
    ...(answer.textTokens > 0 ? [{ text: answerText(answer) }] : []),
    ...answer.toolCalls.map(functionCall),
  ]
  const content = answer.finish === 'filter' ? {} : { content: { parts, role: 'model' } }
  return response(answer, { ...content, finishReason: FINISH[answer.finish] }, totalOf(answer))
}

function* answerFrames(answer: Answer): Generator<Frame> {
  let produced: Produced = { thoughts: 0, candidates: 0 }
  const frame = (part: object, kind: Frame['kind'], finish: object = {}): Frame => {
    const body = response(answer, { content: { parts: [part], role: 'model' }, ...finish }, produced)
    return { text: `data: ${JSON.stringify(body)}\r\n\r\n`, kind }
  }
  for (let index = 0; index < answer.reasoningTokens; index++) {
    produced = { ...produced, thoughts: produced.thoughts + 1 }
    yield frame({ text: answer.reasoningToken(index), thought: true }, 'token')
  }
  for (let index = 0; index < answer.textTokens; index++) {
    produced = { ...produced, candidates: produced.candidates + 1 }
    yield frame({ text: answer.textToken(index) }, 'token')
  }
  for (const call of answer.toolCalls) {
    produced = { ...produced, candidates: produced.candidates + call.pieces.length }
    yield frame(functionCall(call), 'token')
  }
  yield frame({ text: '' }, 'other', { finishReason: FINISH[answer.finish] })
}
