import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { buildConsole } from './lib/build-console.mjs'
import { executableEntry } from './lib/executable-entry.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

const ENTRY = inProject('dist', 'entry', 'main.ts')
/** A thread's file must lie beside the first file, where the program in one file looks for it. */
const THREAD = inProject('dist', 'entry', 'write-back-thread.ts')
const EXECUTABLE = inProject('dist', process.platform === 'win32' ? 'tollgate.exe' : 'tollgate')

await main(async () => {
  await install()
  await buildConsole()
  mkdirSync(dirname(ENTRY), { recursive: true })
  writeFileSync(ENTRY, executableEntry())
  writeFileSync(THREAD, "import '../../server/db/write-back-thread.ts'\n")
  const console = inProject('dist', 'console')
  return runBun([
    'build',
    '--compile',
    '--no-compile-autoload-bunfig',
    '--asset',
    console,
    '--outfile',
    EXECUTABLE,
    ENTRY,
    THREAD,
  ])
})
