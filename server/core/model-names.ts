/** The name under which a family of models is offered and priced. Every other model is a family of its own. */
export const modelFamily = (model: string): string => model.replace(/^(gpt-4o?-gizmo)-.+$/, '$1-*')

const EMBEDDING_MODEL = /embed|bge-|^m3e/i

/** Providers do not say what a model is for, but its name does. */
export const isEmbeddingModel = (model: string): boolean => EMBEDDING_MODEL.test(model)

const SPEECH_MODEL = /tts|^speech-|cosyvoice|kokoro|orpheus|fish-speech/i

/** Whether a model turns text into speech. */
export const isSpeechModel = (model: string): boolean => SPEECH_MODEL.test(model)

/**
 * The model name to send: follows a channel's mapping until a name has no entry or maps to itself. Undefined when the
 * mapping is circular.
 */
export function mapModel(mapping: Readonly<Record<string, string>>, requested: string): string | undefined {
  const followedNames = [requested]
  let name = requested
  for (;;) {
    const next = Object.hasOwn(mapping, name) ? mapping[name] : undefined
    if (next === undefined || next === '' || next === name) return name
    if (followedNames.includes(next)) return undefined
    followedNames.push(next)
    name = next
  }
}
