import { z } from 'zod'
import { countPrompt } from '../completion.ts'
import type { FaultPlan } from '../fault-plan.ts'
import type { LabOperation, LabRequest } from '../operation.ts'
import { embeddingVector } from '../vector.ts'
import { openai } from './provider.ts'

const Tokens = z.array(z.number().int()).min(1)
const EmbeddingsRequest = z.object({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.string()).min(1), Tokens, z.array(Tokens).min(1)]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.number().int().positive().nullish(),
})
type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>

const EmbeddingsInput = EmbeddingsRequest.transform((body): LabRequest => {
  const inputs = inputTexts(body.input)
  return {
    model: body.model,
    lastText: inputs.at(-1) ?? '',
    isStream: false,
    reply: faultPlan => ({ json: () => embeddingsJson(body, inputs, faultPlan) }),
  }
})

/** Embeddings. Source: platform.openai.com/docs/api-reference/embeddings */
export const embeddings: LabOperation = {
  method: 'POST',
  path: /\/(?:v1|v1beta\/openai)\/embeddings$/,
  provider: openai,
  read: body => EmbeddingsInput.safeParse(body),
}

/** Normalizes the input to texts. A list of tokens becomes the text of its numbers. */
function inputTexts(input: EmbeddingsRequest['input']): readonly string[] {
  if (typeof input === 'string') return [input]
  if (typeof input[0] === 'number') return [input.join(' ')]
  return input.map(item => (Array.isArray(item) ? item.join(' ') : String(item)))
}

function embeddingsJson(body: EmbeddingsRequest, inputs: readonly string[], faultPlan: FaultPlan): unknown {
  const tokens = inputs.reduce((sum, text) => sum + countPrompt(text.length, 0), 0)
  const counted = faultPlan.usage === 'zero' ? 0 : tokens
  return {
    object: 'list',
    data: inputs.map((text, index) => ({ object: 'embedding', index, embedding: encodeVector(body, text) })),
    model: body.model,
    ...(faultPlan.usage !== 'missing' && { usage: { prompt_tokens: counted, total_tokens: counted } }),
  }
}

function encodeVector(body: EmbeddingsRequest, text: string): readonly number[] | string {
  const vector = embeddingVector(text, body.dimensions ?? undefined)
  if (body.encoding_format !== 'base64') return vector
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}

const ModerationRequest = z
  .object({ model: z.string().min(1), input: z.union([z.string().min(1), z.array(z.unknown()).min(1)]) })
  .transform(({ model, input }): LabRequest => {
    const results = [input].flat().map(part => {
      const flagged = /violence/.test(JSON.stringify(part))
      return { flagged, categories: { violence: flagged }, category_scores: { violence: flagged ? 1 : 0 } }
    })
    return {
      model,
      lastText: '',
      isStream: false,
      reply: () => ({ json: () => ({ id: 'modr-lab', model, results }) }),
    }
  })

/** Moderation. Flags only inputs that contain the word `violence`. Source: platform.openai.com/docs/api-reference/moderations */
export const moderations: LabOperation = {
  method: 'POST',
  path: /\/v1\/moderations$/,
  provider: openai,
  read: body => ModerationRequest.safeParse(body),
}
