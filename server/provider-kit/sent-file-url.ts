import type { SentFile } from './sent-file.ts'

/** A file as a data URL. */
export const sentFileUrl = ({ mediaType, bytes }: SentFile): string =>
  `data:${mediaType || 'application/octet-stream'};base64,${Buffer.from(bytes).toString('base64')}`
