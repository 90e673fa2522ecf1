import { expect } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Json } from './normalise.ts'

/** `GOLDEN=write` records anew instead of comparing. */
export const IS_RECORDING = process.env.GOLDEN === 'write'

const FOLDER = join(import.meta.dir, 'recorded')
const HINT = 'differs from the recording; record anew with GOLDEN=write if the change is intended'

/** One file of recorded values by name. */
export interface Recording {
  /** The recorded value; undefined when there is none, or when it is recorded anew. */
  find(name: string): Json | undefined
  /** Fails when the value is not the recorded one to the byte. Records it instead with `GOLDEN=write`. */
  check(name: string, value: Json): void
  /** Fails when a recorded value was not checked, and writes the file with `GOLDEN=write`. */
  close(): void
}

/** `name`: of a file among the recordings, or an absolute path without its ending. */
export function openRecording(name: string): Recording {
  const path = resolve(FOLDER, `${name}.json`)
  const recorded = new Map<string, Json>(Object.entries(existsSync(path) ? readValues(path) : {}))
  const checked = new Map<string, Json>()
  return {
    find: key => (IS_RECORDING ? undefined : recorded.get(key)),
    check(key, value) {
      if (checked.has(key)) throw new Error(`${name}.json has ${key} twice`)
      checked.set(key, value)
      if (!IS_RECORDING) expect(toText(value), `${key} ${HINT}`).toBe(toText(recorded.get(key) ?? null))
    },
    close() {
      if (IS_RECORDING) writeFileSync(path, `${toText(Object.fromEntries(checked))}\n`)
      else expect([...recorded.keys()], HINT).toEqual([...checked.keys()])
    },
  }
}

const toText = (value: Json): string => JSON.stringify(value, null, 1)

/** Safe cast: JSON holds nothing else, and only `close` writes these files. */
const readValues = (path: string): Readonly<Record<string, Json>> => JSON.parse(readFileSync(path, 'utf8'))
