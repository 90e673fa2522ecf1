/** What a model is called for. It decides the endpoint of an example. */
export type ModelKind =
  | 'chat'
  | 'embeddings'
  | 'rerank'
  | 'image'
  | 'speech'
  | 'transcription'
  | 'moderation'
  | 'task'

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

/** The kind of a model by the names that vendors give; a name that tells nothing is a chat model's. */
export const modelKind = (model: string): ModelKind =>
  KIND_PATTERNS.find(([, pattern]) => pattern.test(model))?.[0] ?? 'chat'
