import { changeLanguage, type Language } from '../../ui/text/text.ts'
import { readStored, writeStored } from './local-store.ts'

/** The stored language. Older consoles stored it under `i18nextLng`. Default: Chinese. */
export function storedLanguage(): Language {
  const stored = readStored('language') ?? readStored('i18nextLng') ?? 'zh'
  return stored.startsWith('en') ? 'en' : 'zh'
}

/** Switches the language without a reload and stores the choice. */
export function chooseLanguage(language: Language): void {
  writeStored('language', language)
  changeLanguage(language)
}
