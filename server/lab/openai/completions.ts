import { z } from 'zod'
import { completionText, countPrompt, createCompletion, type LabCompletion } from '../completion.ts'
import type { LabOperation, LabRequest, ResponseFrame } from '../operation.ts'
import { openaiUsage } from './chat.ts'
import { CREATED_SECONDS, openai } from './vendor.ts'

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
  .transform((body): LabRequest => {
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
      reply(faultPlan) {
        const reply = createCompletion(prompt, faultPlan)
        const wantsUsage = body.stream_options?.include_usage === true
        return { json: () => completionJson(reply), frames: () => completionFrames(reply, wantsUsage) }
      },
    }
  })

/** The legacy text completions. Source: platform.openai.com/docs/api-reference/completions */
export const completions: LabOperation = {
  method: 'POST',
  path: /\/v1\/completions$/,
  vendor: openai,
  read: body => CompletionAsk.safeParse(body),
}

const usageOf = (reply: LabCompletion) => (reply.usage ? { usage: openaiUsage(reply.usage) } : {})

const completionJson = (reply: LabCompletion): unknown => ({
  ...HEAD,
  model: reply.model,
  choices: [{ text: completionText(reply), ...LINE, finish_reason: FINISH[reply.finish] }],
  ...usageOf(reply),
})

function* completionFrames(reply: LabCompletion, wantsUsage: boolean): Generator<ResponseFrame> {
  const { model } = reply
  const frame = (rest: object): string => `data: ${JSON.stringify({ ...HEAD, ...rest, model })}\n\n`
  const choice = (text: string, finish_reason: string | null): string =>
    frame({ choices: [{ text, ...LINE, finish_reason }] })
  for (let index = 0; index < reply.textTokens; index++)
    yield { text: choice(reply.textToken(index), null), kind: 'token' }
  yield { text: choice('', FINISH[reply.finish]), kind: 'other' }
  if (wantsUsage && reply.usage) yield { text: frame({ choices: [], ...usageOf(reply) }), kind: 'other' }
  yield { text: 'data: [DONE]\n\n', kind: 'end' }
}
