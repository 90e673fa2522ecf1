import { z } from 'zod'
import { MIB } from '../../core/limits.ts'
import { countPrompt } from '../completion.ts'
import type { LabOperation, LabRequest } from '../operation.ts'
import { findUnknownField } from './check-request.ts'
import { CREATED_SECONDS, openai } from './provider.ts'

/** A PNG of a single pixel. */
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const IMAGE_URL = 'https://lab.example/variation.png'
const TOKENS_PER_IMAGE = 272
const IMAGES_MAX = 10

const ImagesRequest = z
  .object({
    model: z.string().min(1),
    prompt: z.string().min(1),
    n: z.coerce.number().int().min(1).max(IMAGES_MAX).nullish(),
  })
  .transform(({ model, prompt, n }): LabRequest => {
    const count = n ?? 1
    const usage = { input_tokens: countPrompt(prompt.length, 0), output_tokens: count * TOKENS_PER_IMAGE }
    const data = Array.from({ length: count }, () => ({ b64_json: IMAGE }))
    return {
      model,
      lastText: prompt,
      isStream: false,
      reply: () => ({
        json: () => ({ created: CREATED_SECONDS, data, ...(model.startsWith('gpt-image') && { usage }) }),
      }),
    }
  })

/** Image generation and editing. Source: platform.openai.com/docs/api-reference/images */
export const images: LabOperation = {
  method: 'POST',
  path: /\/v1\/images\/(?:generations|edits)$/,
  provider: openai,
  read: body => ImagesRequest.safeParse(body),
}

const VARIATION_FIELDS: ReadonlySet<string> = new Set([
  'image',
  'model',
  'n',
  'response_format',
  'size',
  'user',
])
const VARIATION_BYTES_LIMIT = 4 * MIB

const VariationsRequest = z
  .looseObject({
    model: z.string().min(1).default('dall-e-2'),
    image: z.object({ name: z.string(), bytes: z.number().min(1).lt(VARIATION_BYTES_LIMIT) }),
    n: z.coerce.number().int().min(1).max(IMAGES_MAX).default(1),
    size: z.enum(['256x256', '512x512', '1024x1024']).optional(),
    response_format: z.enum(['url', 'b64_json']).default('url'),
  })
  .transform((form): LabRequest => {
    const image = form.response_format === 'url' ? { url: IMAGE_URL } : { b64_json: IMAGE }
    return {
      model: form.model,
      lastText: '',
      isStream: false,
      findProblem: () => findUnknownField(form, VARIATION_FIELDS),
      reply: () => ({
        json: () => ({ created: CREATED_SECONDS, data: Array.from({ length: form.n }, () => image) }),
      }),
    }
  })

/** Image variations, which have no prompt. Source: platform.openai.com/docs/api-reference/images/createVariation */
export const imageVariations: LabOperation = {
  method: 'POST',
  path: /\/v1\/images\/variations$/,
  provider: openai,
  read: body => VariationsRequest.safeParse(body),
}
