import type { GoldenCall, GoldenCase } from '../recorder.ts'

export const once =
  (call: GoldenCall): GoldenCase =>
  async client => {
    await client.call(call)
  }

function form(fields: Readonly<Record<string, string | File>>): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.append(name, value)
  return made
}

const png = (): File => new File(['\x89PNG'], 'a.png', { type: 'image/png' })
const mp3 = (): File => new File([new Uint8Array(12_000)], 'a.mp3', { type: 'audio/mpeg' })
export const ANTHROPIC = { keyHeader: 'x-api-key', headers: { 'anthropic-version': '2023-06-01' } } as const
export const GEMINI = { keyHeader: 'x-goog-api-key' } as const

/** Everything that calls a model and is no chat. */
export const operations: Readonly<Record<string, GoldenCase>> = {
  'legacy completion': once({
    path: '/v1/completions',
    body: { model: 'gpt-3.5-turbo-instruct', prompt: 'Once upon a time', max_tokens: 5 },
  }),
  'legacy completion streamed': once({
    path: '/v1/completions',
    body: { model: 'gpt-3.5-turbo-instruct', prompt: 'Once upon a time', max_tokens: 5, stream: true },
  }),
  embeddings: once({
    path: '/v1/embeddings',
    body: { model: 'text-embedding-3-small', input: ['one', 'two'], dimensions: 4 },
  }),
  'embeddings in the format of Gemini': once({
    path: '/v1beta/models/text-embedding-004:embedContent',
    ...GEMINI,
    body: { content: { parts: [{ text: 'one' }] }, outputDimensionality: 4 },
  }),
  'images by the call': once({
    path: '/v1/images/generations',
    body: { model: 'dall-e-3', prompt: 'a lighthouse', size: '1024x1792', quality: 'hd', n: 2 },
  }),
  'images by tokens': once({
    path: '/v1/images/generations',
    body: { model: 'gpt-image-1', prompt: 'a lighthouse', quality: 'low' },
  }),
  'an edit of an image': async client => {
    const body = form({ model: 'gpt-image-1', prompt: 'a lighthouse', image: png(), quality: 'low' })
    await client.call({ path: '/v1/images/edits', body })
  },
  'a variation of an image': async client => {
    const body = form({ model: 'dall-e-2', image: png(), n: '2', size: '256x256' })
    await client.call({ path: '/v1/images/variations', body })
  },
  speech: once({
    path: '/v1/audio/speech',
    body: { model: 'tts-1', voice: 'alloy', input: 'Hello, world' },
  }),
  transcription: async client => {
    await client.call({
      path: '/v1/audio/transcriptions',
      body: form({ model: 'whisper-1', file: mp3() }),
    })
  },
  translation: async client => {
    const body = form({ model: 'whisper-1', file: mp3(), response_format: 'text' })
    await client.call({ path: '/v1/audio/translations', body })
  },
  moderation: once({
    path: '/v1/moderations',
    body: { model: 'omni-moderation-latest', input: ['peace', 'violence'] },
  }),
  rerank: once({
    path: '/v1/rerank',
    body: {
      model: 'jina-reranker-v2-base-multilingual',
      query: 'capital',
      documents: ['Porto', 'Lisbon'],
      top_n: 2,
    },
  }),
  'rerank in the format of Cohere': once({
    path: '/v2/rerank',
    body: { model: 'rerank-v3.5', query: 'capital', documents: ['Porto', 'Lisbon'] },
  }),
}

/** A call that calls no model. */
export const lookUp = (path: string, call: Partial<GoldenCall> = {}): GoldenCase =>
  once({ method: 'GET', path, ...call })

/** Requests that call no model. */
export const lookups: Readonly<Record<string, GoldenCase>> = {
  'models for OpenAI': lookUp('/v1/models'),
  'models of a token with one model': lookUp('/v1/models', { token: 'one model' }),
  'models for Anthropic': lookUp('/v1/models', ANTHROPIC),
  'models for Gemini': lookUp('/v1beta/models', GEMINI),
  'one model': lookUp('/v1/models/gpt-4o-mini'),
  'an unknown model': lookUp('/v1/models/no-such-model'),
  'one model for Gemini': lookUp('/v1beta/models/gemini-2.5-flash', GEMINI),
  'an unknown path': lookUp('/v1/no-such-path'),
}
