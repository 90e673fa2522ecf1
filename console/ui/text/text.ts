import { useCallback } from 'react'
import { createStore, useStore } from '../store.ts'

export type Language = 'zh' | 'en'
export const LANGUAGES: readonly Language[] = ['zh', 'en']

/** Text catalogue of a folder in both languages. */
export interface Text<Key extends string = string> {
  readonly zh: Readonly<Record<Key, string>>
  readonly en: Readonly<Record<NoInfer<Key>, string>>
}

export type TextValues = Readonly<Record<string, string | number>>
export type Translate<Key extends string> = (key: Key, values?: TextValues) => string

/** English catalogue: every key of `Chinese`, and optionally `key_one` for the singular (`count` is 1, formatted or not). */
export type English<Chinese extends Record<string, string>> = Readonly<Record<keyof Chinese, string>> &
  Readonly<{ [Key in keyof Chinese as `${string & Key}_one`]?: string }>

const PLACEHOLDER = /\{(\w+)\}/g
const language = createStore<Language>('zh')

/** The text of a key with its `{placeholders}` filled. Placeholders without a value stay visible. */
export function translate<Key extends string>(text: Text<Key>, key: Key, values: TextValues = {}): string {
  const texts: Readonly<Record<string, string>> = text[language.get()]
  const isOne = String(values.count) === '1' && language.get() === 'en'
  const pattern = (isOne ? texts[`${key}_one`] : undefined) ?? texts[key] ?? text.zh[key]
  return pattern.replaceAll(PLACEHOLDER, (hole, name: string) => String(values[name] ?? hole))
}

/** Translates the keys of a catalogue. The returned function changes with the language. */
export function useText<Key extends string>(text: Text<Key>): Translate<Key> {
  const current = useStore(language)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new language is a new function, so that memos follow it
  return useCallback((key, values) => translate(text, key, values), [text, current])
}

/** `useText` for code outside components. */
export const translatorOf =
  <Key extends string>(text: Text<Key>): Translate<Key> =>
  (key, values) =>
    translate(text, key, values)

export const currentLanguage = (): Language => language.get()
export const useLanguage = (): Language => useStore(language)

export function changeLanguage(next: Language): void {
  document.documentElement.lang = next
  language.set(next)
}
