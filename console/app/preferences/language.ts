import { changeLanguage, type Language } from '../../ui/text/text.ts'
import { readStored, writeStored } from './local-store.ts'

/** The language kept under `language`; an older console kept it under `i18nextLng`. Chinese when neither is there. */
export function storedLanguage(): Language {
  const stored = readStored('language') ?? readStored('i18nextLng') ?? 'zh'
  return stored.startsWith('en') ? 'en' : 'zh'
}

/** Changes every text at once, without a reload, and keeps the choice. */
export function chooseLanguage(language: Language): void {
  writeStored('language', language)
  changeLanguage(language)
}
