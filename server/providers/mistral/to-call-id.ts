import { createHash } from 'node:crypto'

const CALL_ID = /^[a-zA-Z0-9]{9}$/

/**
 * Mistral takes ids of nine letters and digits only. Its own stay as they are; others become the beginning of their
 * hash, so that a call and its result still agree. Source: docs.mistral.ai, error code 3280
 */
export const toMistralCallId = (id: string): string =>
  CALL_ID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)
