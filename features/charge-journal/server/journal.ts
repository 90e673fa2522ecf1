import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { elapsedMs, nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { type Logger, throttledLog } from '#server/core/logger.ts'
import { createPrivateFolder } from '#server/core/private-files.ts'
import { lockFile } from '#server/db/engine/database.ts'
import type { CloseCommand } from '#server/ledger/ledger-command.ts'
import { journalPath, lockPath } from './journal-folder.ts'
import { toLine } from './journal-format.ts'

/** Two files exist at a time, so a journal holds the last five to ten minutes in at most twice these bytes. */
const FILE_MS_MAX = 300_000
const FILE_BYTES_MAX = 32 * 1024 * 1024
const OWNER_ONLY = 0o600

interface JournalOptions {
  readonly folder: string
  readonly processId: string
  readonly log: Logger
  readonly fileBytesMax?: number
}

interface OpenFile {
  readonly descriptor: number
  readonly openedMs: number
  bytes: number
}

/**
 * Keeps the holds that this process has closed in the last minutes. A record is in the hands of the operating system before the
 * response of its request is complete, so it survives the process, but not the machine. What cannot be written is
 * counted, and no request waits or fails for it.
 */
export class Journal {
  private readonly options: JournalOptions
  private readonly logFailure: ReturnType<typeof throttledLog>
  private unlock: (() => void) | undefined
  private installation: string | undefined
  private file: OpenFile | undefined
  private number = 0
  /** Records from before `open`. */
  private early: string[] = []
  private unwritten = 0
  private isFailing = false

  constructor(options: JournalOptions) {
    this.options = options
    this.logFailure = throttledLog(options.log, 'the journal of charges could not be written')
  }

  /** Writes what was recorded so far, and everything from now on. */
  open(installation: string): void {
    this.installation = installation
    this.guard(0, () => {
      createPrivateFolder(this.options.folder)
      this.unlock = lockFile(lockPath(this.options.folder, this.options.processId))
    })
    const early = this.early
    this.early = []
    if (early.length > 0) this.write(early)
  }

  record(commands: readonly CloseCommand[]): void {
    const at = nowSeconds()
    const lines = commands.map(command => toLine({ at, command }))
    if (this.installation === undefined) this.early.push(...lines)
    else this.write(lines)
  }

  stats(): { readonly unwritten: number; readonly isFailing: boolean } {
    return { unwritten: this.unwritten, isFailing: this.isFailing }
  }

  /** As the end of the process does. The gateway never calls it: what its last responses cost is recorded, too. */
  close(): void {
    if (this.file) closeSync(this.file.descriptor)
    this.file = undefined
    this.unlock?.()
  }

  private write(lines: readonly string[]): void {
    this.guard(lines.length, () => {
      const file = this.currentFile()
      const text = Buffer.from(lines.join(''))
      file.bytes += text.length
      if (writeSync(file.descriptor, text) !== text.length) throw new Error('the disk is full')
    })
  }

  private currentFile(): OpenFile {
    const { file, options } = this
    const isFull = file && file.bytes >= (options.fileBytesMax ?? FILE_BYTES_MAX)
    if (file && !isFull && elapsedMs() - file.openedMs < FILE_MS_MAX) return file
    if (file) closeSync(file.descriptor)
    this.file = undefined
    this.number += 1
    rmSync(journalPath(options.folder, options.processId, this.number - 2), { force: true })
    return this.openFile(journalPath(options.folder, options.processId, this.number))
  }

  private openFile(path: string): OpenFile {
    const descriptor = openSync(path, 'a', OWNER_ONLY)
    try {
      const header = toLine({ version: 1, installation: this.installation ?? '' })
      this.file = { descriptor, openedMs: elapsedMs(), bytes: writeSync(descriptor, header) }
      return this.file
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  }

  private guard(records: number, work: () => void): void {
    try {
      work()
      this.isFailing = false
    } catch (error) {
      this.isFailing = true
      this.unwritten += records
      this.logFailure({ folder: this.options.folder, reason: errorMessage(error) })
    }
  }
}
