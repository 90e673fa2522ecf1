/** The name under which a family of models is offered and priced. Every other model is a family of its own. */
export const modelFamily = (model: string): string => model.replace(/^(gpt-4o?-gizmo)-.+$/, '$1-*')

const EMBEDDING_MODEL = /embedding|bge-|^m3e/i

/** Providers do not say what a model is for, but its name does. */
export const isEmbeddingModel = (model: string): boolean => EMBEDDING_MODEL.test(model)

const SPEECH_MODEL = /tts|^speech-|cosyvoice|kokoro|orpheus|fish-speech/i

/** Whether a model turns text into speech. */
export const isSpeechModel = (model: string): boolean => SPEECH_MODEL.test(model)
