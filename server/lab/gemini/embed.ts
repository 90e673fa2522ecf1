import { z } from 'zod'
import type { Ask, Operation } from '../operation.ts'
import { vectorOf } from '../vector.ts'
import { gemini } from './vendor.ts'

const Request = z.object({
  content: z.object({ parts: z.array(z.object({ text: z.string() })).min(1) }),
  outputDimensionality: z.number().int().positive().optional(),
})
type Request = z.infer<typeof Request>
const Batch = z.object({ requests: z.array(Request).min(1) })

const textOf = (request: Request): string => request.content.parts.map(part => part.text).join('')
const embeddingOf = (request: Request) => ({
  values: vectorOf(textOf(request), request.outputDimensionality),
})

/** Embeddings say nothing of usage here. Source: ai.google.dev/api/embeddings */
export const embed: Operation = {
  method: 'POST',
  path: /\/(?:v1|v1beta)\/models\/([^/:]+):embedContent$/,
  vendor: gemini,
  read: (body, target) =>
    Request.transform(
      (request): Ask => ({
        ...target,
        lastText: textOf(request),
        reply: () => ({ whole: () => ({ embedding: embeddingOf(request) }) }),
      }),
    ).safeParse(body),
}

export const batchEmbed: Operation = {
  method: 'POST',
  path: /\/(?:v1|v1beta)\/models\/([^/:]+):batchEmbedContents$/,
  vendor: gemini,
  read: (body, target) =>
    Batch.transform(
      ({ requests }): Ask => ({
        ...target,
        lastText: requests.map(textOf).at(-1) ?? '',
        reply: () => ({ whole: () => ({ embeddings: requests.map(embeddingOf) }) }),
      }),
    ).safeParse(body),
}
