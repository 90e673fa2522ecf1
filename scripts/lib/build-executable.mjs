import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { buildConsole } from './build-console.mjs'
import { executableEntry } from './executable-entry.mjs'
import { inProject } from './project.mjs'
import { runBun } from './run-bun.mjs'

const ENTRY = inProject('dist', 'entry', 'main.ts')
/** A thread's file must lie beside the first file, where the program in one file looks for it. */
const THREAD = inProject('dist', 'entry', 'write-back-thread.ts')
const EXECUTABLE = inProject('dist', process.platform === 'win32' ? 'tollgate.exe' : 'tollgate')

/** Builds dist/tollgate: one executable with the console inside. Gives the builder's exit code. */
export async function buildExecutable() {
  await buildConsole()
  mkdirSync(dirname(ENTRY), { recursive: true })
  writeFileSync(ENTRY, executableEntry())
  writeFileSync(THREAD, "import '../../server/db/engine/write-back-thread.ts'\n")
  return runBun([
    'build',
    '--compile',
    '--no-compile-autoload-bunfig',
    '--asset',
    inProject('dist', 'console'),
    '--outfile',
    EXECUTABLE,
    ENTRY,
    THREAD,
  ])
}
