import { z } from 'zod'
import { countPrompt } from '../answer.ts'
import type { Ask, Operation } from '../operation.ts'
import type { Plan } from '../plan.ts'
import { vectorOf } from '../vector.ts'
import { openai } from './vendor.ts'

const Tokens = z.array(z.number().int()).min(1)
const EmbeddingsBody = z.object({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.string()).min(1), Tokens, z.array(Tokens).min(1)]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.number().int().positive().nullish(),
})
type EmbeddingsBody = z.infer<typeof EmbeddingsBody>

const EmbeddingsAsk = EmbeddingsBody.transform((body): Ask => {
  const inputs = textsOf(body.input)
  return {
    model: body.model,
    lastText: inputs.at(-1) ?? '',
    isStream: false,
    reply: plan => ({ whole: () => wholeEmbeddings(body, inputs, plan) }),
  }
})

/** Source: platform.openai.com/docs/api-reference/embeddings */
export const embeddings: Operation = {
  method: 'POST',
  path: /\/(?:v1|v1beta\/openai)\/embeddings$/,
  vendor: openai,
  read: body => EmbeddingsAsk.safeParse(body),
}

/** Inputs of tokens become the text of their numbers. */
function textsOf(input: EmbeddingsBody['input']): readonly string[] {
  if (typeof input === 'string') return [input]
  if (typeof input[0] === 'number') return [input.join(' ')]
  return input.map(item => (Array.isArray(item) ? item.join(' ') : String(item)))
}

function wholeEmbeddings(body: EmbeddingsBody, inputs: readonly string[], plan: Plan): unknown {
  const tokens = inputs.reduce((sum, text) => sum + countPrompt(text.length, 0), 0)
  const counted = plan.usage === 'zero' ? 0 : tokens
  return {
    object: 'list',
    data: inputs.map((text, index) => ({ object: 'embedding', index, embedding: encoded(body, text) })),
    model: body.model,
    ...(plan.usage !== 'missing' && { usage: { prompt_tokens: counted, total_tokens: counted } }),
  }
}

function encoded(body: EmbeddingsBody, text: string): readonly number[] | string {
  const vector = vectorOf(text, body.dimensions ?? undefined)
  if (body.encoding_format !== 'base64') return vector
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}
