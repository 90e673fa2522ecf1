import { z } from 'zod'

/** The purpose of a model. */
export const MODEL_KINDS = [
  'chat',
  'completion',
  'embeddings',
  'rerank',
  'image',
  'speech',
  'music',
  'transcription',
  'moderation',
  'realtime',
  'video',
  'ocr',
  'task',
] as const
export const ModelKind = z.enum(MODEL_KINDS)
export type ModelKind = z.infer<typeof ModelKind>

export const MODALITIES = ['text', 'image', 'audio', 'video', 'pdf'] as const
export const Modalities = z.array(z.enum(MODALITIES)).readonly()
