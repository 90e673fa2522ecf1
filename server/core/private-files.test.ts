import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createPrivateFile,
  createPrivateFolder,
  makeDataFolderPrivate,
  makeFilePrivate,
} from './private-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-private-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('creates folders and files for their owner only', () => {
  const below = join(folder, 'a', 'b')
  createPrivateFolder(below)
  createPrivateFile(join(below, 'file'))
  expect([modeOf(below), modeOf(join(below, 'file'))]).toEqual(['700', '600'])
})

test('closes an existing file, and keeps its contents and a stricter mode', () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'text', { mode: 0o644 })
  createPrivateFile(path)
  expect([modeOf(path), statSync(path).size]).toEqual(['600', 4])
  chmodSync(path, 0o400)
  makeFilePrivate(path)
  expect(modeOf(path)).toBe('400')
  makeFilePrivate(join(folder, 'missing'))
})

test('closes a data folder, but none that contains anything else', () => {
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o755 })
  for (const name of ['tollgate.db', 'tollgate.db-wal', 'secret-key']) writeFileSync(join(data, name), '')
  makeDataFolderPrivate(data)
  expect(modeOf(data)).toBe('700')
  chmodSync(data, 0o755)
  writeFileSync(join(data, 'letter.txt'), '')
  makeDataFolderPrivate(data)
  expect(modeOf(data)).toBe('755')
  makeDataFolderPrivate(join(folder, 'missing'))
})
