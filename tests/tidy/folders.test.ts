import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { filesOf } from './source.ts'

const LANGUAGES = ['zh', 'en']
const FEATURE_PARTS = /^(contract(\.ts)?|options\.ts|server|console|migrations|README\.md)$/

describe.each(foldersOf('server/providers'))('provider %s', name => {
  const files = filesOf(`server/providers/${name}`)

  test('has a manifest', () => {
    expect(files).toContain(`server/providers/${name}/index.ts`)
  })

  test('has recorded responses', () => {
    expect(files.filter(path => path.includes('/fixtures/'))).not.toEqual([])
  })
})

const features = foldersOf('features')
const screens = filesOf('features').filter(path => /\/console\/(.+\/)?index\.tsx$/.test(path))

describe.each(features)('feature %s', name => {
  const files = filesOf(`features/${name}`)
  const parts = new Set(files.map(path => path.split('/').at(2) ?? ''))

  test('has a name in lower case with dashes', () => {
    expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
  })

  test('consists of contract, options, server, console, migrations and a README', () => {
    expect([...parts].filter(part => !FEATURE_PARTS.test(part))).toEqual([])
  })
})

describe.each(screens)('screen %s', path => {
  const folder = path.replace(/\/index\.tsx$/, '')

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

test('finds providers, features and screens', () => {
  expect(foldersOf('server/providers')).not.toEqual([])
  expect(features).not.toEqual([])
  expect(screens).not.toEqual([])
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
