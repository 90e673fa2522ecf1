import { z } from 'zod'
import { type Answer, answerOf, answerText, countPrompt } from '../answer.ts'
import type { Ask, Frame, Operation } from '../operation.ts'
import { CREATED_SECONDS, openaiUsage } from './chat.ts'
import { openai } from './vendor.ts'

const FINISH = { stop: 'stop', length: 'length', tools: 'stop', filter: 'content_filter' } as const
const HEAD = { id: 'cmpl-lab', object: 'text_completion', created: CREATED_SECONDS }
const LINE = { index: 0, logprobs: null }

const CompletionAsk = z
  .object({
    model: z.string().min(1),
    prompt: z.union([z.string(), z.array(z.string()).min(1)]),
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    max_tokens: z.number().int().positive().nullish(),
  })
  .transform((body): Ask => {
    const text = [body.prompt].flat().join('')
    const prompt = {
      model: body.model,
      tokens: countPrompt(text.length, 0),
      maxTokens: body.max_tokens ?? Number.POSITIVE_INFINITY,
      tools: [],
      mustCallTool: false,
      hasToolResult: false,
    }
    return {
      model: body.model,
      lastText: text,
      isStream: body.stream === true,
      reply(plan) {
        const answer = answerOf(prompt, plan)
        const wantsUsage = body.stream_options?.include_usage === true
        return { whole: () => wholeCompletion(answer), frames: () => completionFrames(answer, wantsUsage) }
      },
    }
  })

/** The legacy text completions. Source: platform.openai.com/docs/api-reference/completions */
export const completions: Operation = {
  method: 'POST',
  path: /\/v1\/completions$/,
  vendor: openai,
  read: body => CompletionAsk.safeParse(body),
}

const usageOf = (answer: Answer) => (answer.usage ? { usage: openaiUsage(answer.usage) } : {})

const wholeCompletion = (answer: Answer): unknown => ({
  ...HEAD,
  model: answer.model,
  choices: [{ text: answerText(answer), ...LINE, finish_reason: FINISH[answer.finish] }],
  ...usageOf(answer),
})

function* completionFrames(answer: Answer, wantsUsage: boolean): Generator<Frame> {
  const { model } = answer
  const frame = (rest: object): string => `data: ${JSON.stringify({ ...HEAD, ...rest, model })}\n\n`
  const choice = (text: string, finish_reason: string | null): string =>
    frame({ choices: [{ text, ...LINE, finish_reason }] })
  for (let index = 0; index < answer.textTokens; index++)
    yield { text: choice(answer.textToken(index), null), kind: 'token' }
  yield { text: choice('', FINISH[answer.finish]), kind: 'other' }
  if (wantsUsage && answer.usage) yield { text: frame({ choices: [], ...usageOf(answer) }), kind: 'other' }
  yield { text: 'data: [DONE]\n\n', kind: 'end' }
}
