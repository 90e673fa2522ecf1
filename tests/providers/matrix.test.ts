import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { loadProviders } from '#server/compose/modules.ts'
import { createRegistry } from '#server/providers/registry.ts'
import apis from './fixtures/provider-apis.json'
import { columns, type Row, toMatrix } from './matrix.ts'
import { readFixtures } from './provider-fixtures.ts'

const TABLE = /(?<=<!-- matrix -->\n)[\s\S]*(?=\n<!-- end of matrix -->)/

const modules = await loadProviders()
const apiOf: Readonly<Record<string, readonly string[]>> = apis
const rows: readonly Row[] = createRegistry(modules)
  .all()
  .map(provider => {
    const folder = [...modules].find(([, module]) => module.provider === provider)?.[0] ?? ''
    return { provider, fixtures: readFixtures(folder), api: apiOf[provider.type] ?? [] }
  })

/** `MATRIX=write bun test tests/providers/matrix.test.ts` updates the documents. */
test.each([
  ['docs/reference/providers.md', false],
  ['docs/zh/reference/providers.md', true],
] as const)("%s has every provider's features as its manifest and fixtures prove them", (path, isChinese) => {
  const document = readFileSync(path, 'utf8')
  const table = toMatrix(rows, isChinese)
  if (Bun.env.MATRIX === 'write') writeFileSync(path, document.replace(TABLE, table))
  expect(TABLE.exec(readFileSync(path, 'utf8'))?.[0]).toBe(table)
})

/** Manifest members that describe access to a provider, not its features. */
const NO_OPERATIONS = [
  'type',
  'name',
  'nameZh',
  'baseUrl',
  'models',
  'ownedBy',
  'keyHint',
  'keyPattern',
  'catalogue',
  'genAiName',
  'form',
  'native',
  'credential',
  'popularity',
  'hasDeployments',
]

test('has a column for every operation of a manifest', () => {
  const known = [...NO_OPERATIONS, ...columns.map(({ member }) => member)]
  const unknown = rows.flatMap(({ provider }) => Object.keys(provider).filter(name => !known.includes(name)))
  expect(unknown).toEqual([])
})

test('names features by the columns of the matrix', () => {
  const names = columns.map(({ name }) => name)
  expect(Object.values(apis).flatMap(api => api.filter(word => !names.includes(word)))).toEqual([])
})

test('covers every provider type of the lineage', () => {
  const served = rows.map(({ provider }) => provider.type)
  expect(
    Object.keys(apis)
      .map(Number)
      .filter(type => !served.includes(type)),
  ).toEqual([])
})
