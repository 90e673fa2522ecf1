import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { filesOf } from './source.ts'

const LANGUAGES = ['zh', 'en']

describe.each(foldersOf('server/providers'))('provider %s', name => {
  const files = filesOf(`server/providers/${name}`)

  test('has a manifest', () => {
    expect(files).toContain(`server/providers/${name}/index.ts`)
  })

  test('has recorded responses', () => {
    expect(files.filter(path => path.includes('/fixtures/'))).not.toEqual([])
  })
})

describe.each(foldersOf('console/screens'))('screen %s', name => {
  const folder = `console/screens/${name}`

  test('has a manifest', () => {
    expect(filesOf(folder)).toContain(`${folder}/index.tsx`)
  })

  test('has the same non-empty texts in both languages', async () => {
    const { text } = await importModule(`${folder}/text.ts`)
    expect(Object.keys(text).sort()).toEqual([...LANGUAGES].sort())
    const isTwinForOne = (key: string) => key.endsWith('_one') && key.slice(0, -4) in text.zh
    expect(
      Object.keys(text.en)
        .filter(key => !isTwinForOne(key))
        .sort(),
    ).toEqual(Object.keys(text.zh).sort())
    expect(Object.values({ ...text.zh, ...text.en }).filter(saying => saying === '')).toEqual([])
  })
})

test('finds providers and screens', () => {
  expect(foldersOf('server/providers')).not.toEqual([])
  expect(foldersOf('console/screens')).not.toEqual([])
})

function foldersOf(root: string): string[] {
  return readdirSync(join(PROJECT, root), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
}

const importModule = (
  path: string,
): Promise<{
  text: Record<string, Record<string, string>> & { zh: Record<string, string>; en: Record<string, string> }
}> => import(join(PROJECT, path))
