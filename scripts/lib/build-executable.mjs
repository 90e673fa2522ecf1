import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { buildConsole } from './build-console.mjs'
import { buildDocs } from './build-docs.mjs'
import { executableEntry, programEntry } from './executable-entry.mjs'
import { inProject } from './project.mjs'
import { runBun } from './run-bun.mjs'

const ENTRY = inProject('dist', 'entry', 'main.ts')
const PROGRAM = inProject('dist', 'entry', 'program.ts')
/** The executable looks for the file of a worker thread beside its entry file. */
const THREADS = [
  'server/db/engine/write-back-thread.ts',
  'server/relay/request/body-thread.ts',
  'features/repricing/server/reprice-thread.ts',
]
const threadEntry = path => inProject('dist', 'entry', basename(path))
const EXECUTABLE = inProject('dist', process.platform === 'win32' ? 'tollgate.exe' : 'tollgate')

/** Builds dist/tollgate, an executable for this platform that includes the console and the documentation. Returns the exit code of the build. */
export async function buildExecutable() {
  await prepareExecutable()
  return compileExecutable(EXECUTABLE)
}

/** Builds console and documentation, and writes the entry files that `compileExecutable` reads. */
export async function prepareExecutable() {
  await Promise.all([buildConsole(), buildDocs()])
  mkdirSync(dirname(ENTRY), { recursive: true })
  writeFileSync(ENTRY, executableEntry())
  writeFileSync(PROGRAM, programEntry())
  for (const path of THREADS) writeFileSync(threadEntry(path), `import '../../${path}'\n`)
}

/** Compiles for this platform, or with `options` for another. Returns the exit code of the compiler. */
export const compileExecutable = (outfile, options = []) =>
  runBun([
    'build',
    '--compile',
    '--no-compile-autoload-bunfig',
    ...options,
    '--asset',
    inProject('dist', 'console'),
    '--asset',
    inProject('dist', 'docs'),
    '--outfile',
    outfile,
    ENTRY,
    ...THREADS.map(threadEntry),
  ])
