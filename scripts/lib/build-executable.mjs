import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { buildConsole } from './build-console.mjs'
import { executableEntry, programEntry } from './executable-entry.mjs'
import { inProject } from './project.mjs'
import { runBun } from './run-bun.mjs'

const ENTRY = inProject('dist', 'entry', 'main.ts')
const PROGRAM = inProject('dist', 'entry', 'program.ts')
/** The executable looks for the file of a worker thread beside its entry file. */
const THREAD_ENTRY = inProject('dist', 'entry', 'write-back-thread.ts')
const EXECUTABLE = inProject('dist', process.platform === 'win32' ? 'tollgate.exe' : 'tollgate')

/** Builds dist/tollgate, an executable that includes the console. Returns the exit code of the build. */
export async function buildExecutable() {
  await buildConsole()
  mkdirSync(dirname(ENTRY), { recursive: true })
  writeFileSync(ENTRY, executableEntry())
  writeFileSync(PROGRAM, programEntry())
  writeFileSync(THREAD_ENTRY, "import '../../server/db/engine/write-back-thread.ts'\n")
  return runBun([
    'build',
    '--compile',
    '--no-compile-autoload-bunfig',
    '--asset',
    inProject('dist', 'console'),
    '--outfile',
    EXECUTABLE,
    ENTRY,
    THREAD_ENTRY,
  ])
}
