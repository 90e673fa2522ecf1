import i18next from 'i18next'
import { useCallback } from 'react'
import { initReactI18next, useTranslation } from 'react-i18next'

export type Language = 'zh' | 'en'
export const LANGUAGES: readonly Language[] = ['zh', 'en']

/** The texts of one folder, in both languages. */
export interface Text<Key extends string = string> {
  readonly zh: Readonly<Record<Key, string>>
  readonly en: Readonly<Record<NoInfer<Key>, string>>
}

export type TextValues = Readonly<Record<string, string | number>>
export type Translate<Key extends string> = (key: Key, values?: TextValues) => string

/** English for Chinese texts: every key of `Chinese`, and a twin `key_one` where the text differs when `count` is 1. */
export type English<Chinese extends Record<string, string>> = Readonly<Record<keyof Chinese, string>> &
  Readonly<{ [Key in keyof Chinese as `${string & Key}_one`]?: string }>

const namespaces = new WeakMap<object, string>()
let namespaceCount = 0

void i18next.use(initReactI18next).init({
  lng: 'zh',
  fallbackLng: 'zh',
  resources: {},
  initAsync: false,
  keySeparator: false,
  nsSeparator: false,
  interpolation: { prefix: '{', suffix: '}', escapeValue: false },
  react: { useSuspense: false },
})

function namespaceOf(text: Text): string {
  const known = namespaces.get(text)
  if (known) return known
  namespaceCount += 1
  const namespace = `text-${namespaceCount}`
  for (const language of LANGUAGES) i18next.addResourceBundle(language, namespace, text[language])
  namespaces.set(text, namespace)
  return namespace
}

/** The texts of a folder in the chosen language, with typed keys. Changes with the language, without a reload. */
export function useText<Key extends string>(text: Text<Key>): Translate<Key> {
  const { t } = useTranslation(namespaceOf(text))
  return useCallback((key, values) => t(key, { ...values }), [t])
}

/** The same outside of components. */
export function textOf<Key extends string>(text: Text<Key>): Translate<Key> {
  const namespace = namespaceOf(text)
  return (key, values) => i18next.t(key, { ...values, ns: namespace })
}

export const currentLanguage = (): Language => (i18next.language === 'en' ? 'en' : 'zh')

export function useLanguage(): Language {
  const { i18n } = useTranslation()
  return i18n.language === 'en' ? 'en' : 'zh'
}

export function changeLanguage(language: Language): void {
  document.documentElement.lang = language
  void i18next.changeLanguage(language)
}
