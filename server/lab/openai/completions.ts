import { z } from 'zod'
import {
  completionText,
  countPrompt,
  createCompletion,
  type LabCompletion,
  requestId,
} from '../completion.ts'
import type { LabOperation, LabRequest, ResponseFrame } from '../operation.ts'
import { openaiUsage } from './chat.ts'
import { CREATED_SECONDS, openai } from './provider.ts'

const FINISH = { stop: 'stop', length: 'length', tools: 'stop', filter: 'content_filter' } as const
const HEAD = { id: 'cmpl-lab', object: 'text_completion', created: CREATED_SECONDS }
const CHOICE = { index: 0, logprobs: null }

const CompletionRequest = z
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
      id: requestId(body),
      tools: [],
      mustCallTool: false,
      hasToolResult: false,
    }
    return {
      model: body.model,
      lastText: text,
      isStream: body.stream === true,
      reply(faultPlan) {
        const completion = createCompletion(prompt, faultPlan)
        const wantsUsage = body.stream_options?.include_usage === true
        return {
          json: () => completionJson(completion),
          frames: () => completionFrames(completion, wantsUsage),
        }
      },
    }
  })

/** Legacy text completions. Source: platform.openai.com/docs/api-reference/completions */
export const completions: LabOperation = {
  method: 'POST',
  path: /\/v1\/completions$/,
  provider: openai,
  read: body => CompletionRequest.safeParse(body),
}

const usageField = (completion: LabCompletion) =>
  completion.usage ? { usage: openaiUsage(completion.usage) } : {}

const completionJson = (completion: LabCompletion): unknown => ({
  ...HEAD,
  model: completion.model,
  choices: [{ text: completionText(completion), ...CHOICE, finish_reason: FINISH[completion.finish] }],
  ...usageField(completion),
})

function* completionFrames(completion: LabCompletion, wantsUsage: boolean): Generator<ResponseFrame> {
  const { model } = completion
  const frame = (fields: object): string => `data: ${JSON.stringify({ ...HEAD, ...fields, model })}\n\n`
  const choice = (text: string, finish_reason: string | null): string =>
    frame({ choices: [{ text, ...CHOICE, finish_reason }] })
  for (let index = 0; index < completion.textTokens; index++)
    yield { text: choice(completion.textToken(index), null), kind: 'token' }
  yield { text: choice('', FINISH[completion.finish]), kind: 'other' }
  if (wantsUsage && completion.usage)
    yield { text: frame({ choices: [], ...usageField(completion) }), kind: 'other' }
  yield { text: 'data: [DONE]\n\n', kind: 'end' }
}
