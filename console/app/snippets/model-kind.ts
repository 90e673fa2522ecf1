import type { PricingRow } from '#features/pricing-page/contract.ts'

/** The purpose of a model. It decides the endpoint of an example; there is none for `other`. */
export type ModelKind =
  | 'chat'
  | 'embeddings'
  | 'rerank'
  | 'image'
  | 'speech'
  | 'transcription'
  | 'moderation'
  | 'task'
  | 'other'

type CatalogueKind = PricingRow['model_kind']

/** The first match decides, so that `gpt-4o-mini-tts` speaks and `gpt-4o-transcribe` listens. */
const KIND_PATTERNS: ReadonlyArray<readonly [ModelKind, RegExp]> = [
  ['task', /^(mj_|swap_face$|suno_)/i],
  ['rerank', /rerank/i],
  ['embeddings', /embed|(^|\/)bge-|^m3e|^tao-8k|^gte-/i],
  ['moderation', /moderation/i],
  ['transcription', /whisper|transcribe|-asr|sensevoice/i],
  ['speech', /(^|[-/_])tts([-_]|$)|cosyvoice|^speech-/i],
  [
    'image',
    /dall-e|gpt-image|imagen|image-generation|cogview|seedream|stable-diffusion|flux|wanx|qwen-image|kolors/i,
  ],
]

const KINDS: Readonly<Record<NonNullable<CatalogueKind>, ModelKind>> = {
  chat: 'chat',
  completion: 'other',
  embeddings: 'embeddings',
  rerank: 'rerank',
  image: 'image',
  speech: 'speech',
  music: 'other',
  transcription: 'transcription',
  moderation: 'moderation',
  realtime: 'other',
  video: 'other',
  ocr: 'other',
  task: 'task',
}

/**
 * The kind that the catalogue knows. Else it is that of the names which providers give, and a name that tells nothing is a
 * chat model's.
 */
export const modelKind = (model: string, known?: CatalogueKind): ModelKind =>
  known ? KINDS[known] : (KIND_PATTERNS.find(([, pattern]) => pattern.test(model))?.[0] ?? 'chat')

/** Finds the kinds of served models. */
export function kindFinder(
  rows: ReadonlyArray<Pick<PricingRow, 'model_name' | 'model_kind'>>,
): (model: string) => ModelKind {
  const known = new Map(rows.map(({ model_name, model_kind }) => [model_name, model_kind]))
  return model => modelKind(model, known.get(model))
}
