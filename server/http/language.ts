import type { Language } from '../core/api-error.ts'

/** The first of our languages that the caller names; Chinese when none is named. */
export const languageOf = (request: Request): Language =>
  /\b(zh|en)\b/i.exec(request.headers.get('accept-language') ?? '')?.[1]?.toLowerCase() === 'en' ? 'en' : 'zh'
