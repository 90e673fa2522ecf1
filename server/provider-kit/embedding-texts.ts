import type { EmbeddingsBody } from './embeddings.ts'
import { refuse } from './refuse.ts'

/** The inputs as texts. Throws a GatewayError `invalid_request` for token numbers, which only OpenAI reads. */
export function embeddingTexts({ input }: EmbeddingsBody): readonly string[] {
  if (typeof input === 'string') return [input]
  return input.map(item => (typeof item === 'string' ? item : refuse('input', 'token ids', 'text')))
}
