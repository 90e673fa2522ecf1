import { z } from 'zod'
import { countPrompt } from '../completion.ts'
import type { LabOperation, LabRequest } from '../operation.ts'
import { CREATED_SECONDS, openai } from './vendor.ts'

/** A PNG of a single pixel. */
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
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
  vendor: openai,
  read: body => ImagesRequest.safeParse(body),
}
