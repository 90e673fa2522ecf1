import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimDatabaseFile } from './claim-database-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-claim-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a second server on the same file is turned away until the first lets go', () => {
  const path = join(folder, 'made', 'tollgate.db')
  const letGo = claimDatabaseFile(path)
  expect(() => claimDatabaseFile(path)).toThrow(`another Tollgate already serves from ${path}`)
  letGo()
  claimDatabaseFile(path)()
})

test('a place that can hold no database is named, and why', () => {
  const path = join(folder, 'a-file', 'tollgate.db')
  writeFileSync(join(folder, 'a-file'), '')
  expect(() => claimDatabaseFile(path)).toThrow(`the database file ${path} cannot be used: `)
})
