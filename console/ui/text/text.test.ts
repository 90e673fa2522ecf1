import { expect, test } from 'bun:test'
import { Glob } from 'bun'

const CJK = /\p{Script=Han}/u
const HOLES = /\{(\w+)\}/g
/** Names that are written in their own language everywhere. */
const OWN_LANGUAGE = new Set(['languageZh', 'languageSwitch', 'languageShort', 'languageEn'])

const root = new URL('../../../', import.meta.url).pathname
interface Texts {
  readonly zh: Record<string, string>
  readonly en: Record<string, string>
}

const isTexts = (value: unknown): value is Texts =>
  typeof value === 'object' && value !== null && 'zh' in value && 'en' in value

const files = [
  ...new Glob('console/{app,ui}/**/*text.ts').scanSync(root),
  ...new Glob('features/*/console/**/*text.ts').scanSync(root),
]

/** Files named `…text.ts` that export no catalogue are skipped. */
const catalogues = (
  await Promise.all(
    files.map(async file => {
      const exported: readonly unknown[] = Object.values(await import(root + file))
      return exported.filter(isTexts).map(texts => [file, texts] as const)
    }),
  )
).flat()

const holes = (text: string): string[] => [...text.matchAll(HOLES)].map(([, name = '']) => name).toSorted()

test('finds the texts of the app, the UI kit and every screen', () => {
  const screens = new Set([...new Glob('features/*/console/text.ts').scanSync(root)])
  const found = new Set(catalogues.map(([file]) => file))
  expect([...screens].filter(file => !found.has(file))).toEqual([])
  for (const file of ['console/app/app-text.ts', 'console/app/forms/text.ts', 'console/ui/text/kit-text.ts'])
    expect(found).toContain(file)
})

test.each(catalogues)('%s has every text in both languages and none is empty', (_, { zh, en }) => {
  expect(Object.keys(zh).filter(key => !en[key])).toEqual([])
  expect(Object.keys(en).filter(key => !zh[key.replace(/_one$/, '')])).toEqual([])
  expect(Object.values(zh).filter(text => text.trim() === '')).toEqual([])
})

test.each(catalogues)('%s uses the same placeholders in both languages', (_, { zh, en }) => {
  const differing = Object.entries(zh).filter(
    ([key, text]) => String(holes(text)) !== String(holes(en[key] ?? '')),
  )
  expect(differing.map(([key]) => key)).toEqual([])
})

test.each(catalogues)('%s has no Chinese in its English texts', (_, { en }) => {
  const chinese = Object.entries(en).filter(([key, text]) => CJK.test(text) && !OWN_LANGUAGE.has(key))
  expect(chinese).toEqual([])
})
