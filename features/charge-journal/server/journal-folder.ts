import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nextTurn } from '#server/core/async.ts'
import { type JournalRecord, readHeader, readRecord } from './journal-format.ts'

const FILE = /^(\w+)-(\d+)\.journal$/
/** Parsing does not stop the event loop for longer than this many lines take. */
const LINES_PER_TURN = 200

/** The folder of all journals of a machine, in the data folder. */
export const journalFolderOf = (dataDir: string): string => join(dataDir, 'charges')

export const journalPath = (folder: string, processId: string, number: number): string =>
  join(folder, `${processId}-${number}.journal`)

/** A file that its process keeps locked for as long as it runs. */
export const lockPath = (folder: string, processId: string): string => join(folder, `${processId}.lock`)

/** The files of one process, oldest first. */
export interface ProcessJournal {
  readonly processId: string
  readonly paths: readonly string[]
}

/** The journals of all processes that have run on this machine. None where there is no folder. */
export function listJournals(folder: string): readonly ProcessJournal[] {
  const files = namesIn(folder)
    .flatMap(name => {
      const [, processId, number] = FILE.exec(name) ?? []
      return processId === undefined ? [] : [{ processId, number: Number(number), path: join(folder, name) }]
    })
    .sort((a, b) => a.number - b.number)
  const byProcess = Map.groupBy(files, ({ processId }) => processId)
  return [...byProcess].map(([processId, own]) => ({ processId, paths: own.map(({ path }) => path) }))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** When the newest of the files was written, in Unix milliseconds. */
export const writtenAtMs = ({ paths }: ProcessJournal): number =>
  Math.max(0, ...paths.map(path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0))

export function removeJournal(folder: string, { processId, paths }: ProcessJournal): void {
  for (const path of [...paths, lockPath(folder, processId)]) rmSync(path, { force: true })
}

export interface JournalContents {
  readonly records: readonly JournalRecord[]
  /** Lines that were cut or altered. */
  readonly damaged: number
}

/** Reads one file. Undefined: it belongs to another installation, or is no journal. */
export async function readJournalFile(
  path: string,
  installation: string,
): Promise<JournalContents | undefined> {
  const [, first = '', ...lines] = readText(path).split('\n')
  if (readHeader(first)?.installation !== installation) return undefined
  const records: JournalRecord[] = []
  let damaged = 0
  for (const [index, line] of lines.entries()) {
    if (index % LINES_PER_TURN === 0) await nextTurn()
    const record = readRecord(line)
    if (record) records.push(record)
    else damaged += 1
  }
  return { records, damaged }
}

/** A file may be removed by its process at any time. What is no file, such as a device, may have no end. */
function readText(path: string): string {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}
