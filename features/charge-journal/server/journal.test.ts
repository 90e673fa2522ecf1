import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setClock } from '#server/core/clock.ts'
import { noopLogger } from '#server/core/logger.ts'
import type { CloseCommand } from '#server/ledger/ledger-command.ts'
import { buildBill, buildHoldRequest, buildLogEntry } from '#server/ledger/testing.ts'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { Journal } from './journal.ts'
import { journalPath, listJournals, readJournalFile } from './journal-folder.ts'

const INSTALLATION = 'this one'

let folder: ReturnType<typeof makeTemporaryFolder>
let journal: Journal
beforeEach(() => {
  folder = makeTemporaryFolder()
  journal = openJournal()
})
afterEach(() => {
  journal.close()
  folder.remove()
})

const openJournal = (options: { readonly fileBytesMax?: number; readonly folder?: string } = {}): Journal =>
  new Journal({ folder: folder.path, processId: 'one', log: noopLogger, ...options })

const settlement = (amount: number): CloseCommand => ({
  kind: 'settle',
  hold: buildHoldRequest(7, 100),
  bill: buildBill(amount),
})
const failure: CloseCommand = {
  kind: 'release',
  hold: buildHoldRequest(7, 5, 3),
  failure: { entry: buildLogEntry(), receipt: { status: 502, code: 'bad_response', ending: 'failed' } },
}

const first = () => journalPath(folder.path, 'one', 1)
async function readAll() {
  const files = listJournals(folder.path).flatMap(({ paths }) => paths)
  const contents = await Promise.all(files.map(path => readJournalFile(path, INSTALLATION)))
  return {
    commands: contents.flatMap(file => file?.records.map(({ command }) => command) ?? []),
    damaged: contents.reduce((sum, file) => sum + (file?.damaged ?? 0), 0),
    files: files.length,
  }
}

test('keeps what was recorded before and after it was opened, readable by its owner only', async () => {
  const commands = [settlement(1), failure, settlement(3)]
  journal.record(commands.slice(0, 1))
  journal.open(INSTALLATION)
  journal.record(commands.slice(1))
  expect(await readAll()).toEqual({ commands, damaged: 0, files: 1 })
  expect(statSync(first()).mode & 0o777).toBe(0o600)
})

test('holds no more than two files', async () => {
  journal = openJournal({ fileBytesMax: 3000 })
  journal.open(INSTALLATION)
  const commands = Array.from({ length: 100 }, (_, index) => settlement(index))
  for (const command of commands) journal.record([command])
  const { commands: kept, files } = await readAll()
  expect(files).toBe(2)
  expect(kept.length).toBeGreaterThan(3)
  expect(kept).toEqual(commands.slice(-kept.length))
})

test('begins another file after five minutes, whatever the wall clock says', async () => {
  let elapsedMs = 0
  let wallMs = 1_800_000_000_000
  const restore = setClock({ nowMs: () => wallMs, elapsedMs: () => elapsedMs })
  try {
    journal.open(INSTALLATION)
    journal.record([settlement(1)])
    wallMs -= 600_000
    journal.record([settlement(2)])
    expect((await readAll()).files).toBe(1)
    elapsedMs += 300_000
    journal.record([settlement(3)])
    expect((await readAll()).files).toBe(2)
  } finally {
    restore()
  }
})

describe('a damaged file', () => {
  const commands = [settlement(1), settlement(2), settlement(3)]
  beforeEach(() => {
    journal.open(INSTALLATION)
    for (const command of commands) journal.record([command])
  })

  test('loses its last record when it was cut anywhere in it', async () => {
    const fullBytes = statSync(first()).size
    const lineBytes = readFileSync(first(), 'utf8').split('\n').at(-1)?.length ?? 0
    for (let cut = 1; cut < lineBytes; cut += 50) {
      truncateSync(first(), fullBytes - cut)
      expect((await readAll()).commands).toEqual(commands.slice(0, 2))
    }
  })

  test('loses nothing behind a line that was cut', async () => {
    truncateSync(first(), statSync(first()).size - 10)
    journal.record([settlement(4), settlement(5)])
    const { commands: read, damaged } = await readAll()
    expect([read.length, damaged]).toEqual([4, 1])
  })

  test.each([
    ['an altered amount', (text: string) => text.replace('"amount":2,', '"amount":9,')],
    ['a line of another program', (text: string) => text.replace(/\n(?=[^\n]*"amount":2,)[^\n]*/, '\nhello')],
    ['zeros', (text: string) => text.replace(/\n(?=[^\n]*"amount":2,)[^\n]*/, `\n${'\0'.repeat(500)}`)],
  ])('leaves out %s', async (_, damage) => {
    writeFileSync(first(), damage(readFileSync(first(), 'utf8')))
    const { commands: read, damaged } = await readAll()
    expect([read, damaged]).toEqual([commands.filter((_, index) => index !== 1), 1])
  })
})

test.each([
  ['of another installation', 'another one'],
  ['without a header', undefined],
])('a file %s is not read', async (_, installation) => {
  journal.open(installation ?? INSTALLATION)
  journal.record([settlement(1)])
  if (installation === undefined) writeFileSync(first(), 'nothing of ours\n')
  expect(await readJournalFile(first(), INSTALLATION)).toBeUndefined()
})

test('a folder that takes no file is counted, and taken once it does', async () => {
  const blocked = join(folder.path, 'blocked')
  writeFileSync(blocked, '')
  const failing = openJournal({ folder: join(blocked, 'below') })
  failing.record([settlement(1)])
  failing.open(INSTALLATION)
  failing.record([settlement(2)])
  expect(failing.stats()).toEqual({ unwritten: 2, isFailing: true })
})

test('a full disk is counted, and records are written again once there is room', async () => {
  symlinkSync('/dev/full', first())
  journal.open(INSTALLATION)
  journal.record([settlement(1)])
  expect(journal.stats()).toEqual({ unwritten: 1, isFailing: true })
  const kept = settlement(2)
  journal.record([kept])
  expect(journal.stats()).toEqual({ unwritten: 1, isFailing: false })
  expect((await readAll()).commands).toEqual([kept])
})
