import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { migrations } from '#server/testing/migrations.ts'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { migrate, openDatabase } from '../engine/database.ts'
import { openReaders } from './readers.ts'

const TIMEOUT_MS = 10_000

test('a query fails when its process dies, and the next one starts another', async () => {
  const folder = makeTemporaryFolder()
  const database = openDatabase({ url: join(folder.path, 'tollgate.db'), durability: 'process' }, migrations)
  await migrate(database)
  const readers = openReaders(database)
  const read = () => readers.forCaller({ key: '1' }).selectFrom('options').selectAll().execute()
  expect(await read()).toEqual([])
  const [pid = 0] = await childrenOf(process.pid, folder.path)
  process.kill(pid, 'SIGKILL')
  const outcomes = await Promise.allSettled([read(), read()])
  expect(outcomes.at(-1)?.status).toBe('fulfilled')
  expect(await childrenOf(process.pid, folder.path)).not.toContain(pid)
  await readers.close()
  expect(await childrenOf(process.pid, folder.path)).toEqual([])
  await database.close()
  folder.remove()
})

test('reader processes end with the process that started them, however it ends', async () => {
  const folder = makeTemporaryFolder()
  const parent = Bun.spawn([process.execPath, '-e', programThatReads(folder.path)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await parent.stdout.getReader().read()
  const [pid = 0, ...others] = await childrenOf(parent.pid, folder.path)
  expect(others).toEqual([])
  parent.kill('SIGKILL')
  await waitUntil(
    { description: 'the end of the reader', timeoutMs: TIMEOUT_MS },
    async () => !(await isRunning(pid)),
  )
  folder.remove()
})

/** Prints a line once its reader process runs, and goes on. */
const programThatReads = (folder: string): string => `
  const { openDatabase, migrate } = await import('${join(import.meta.dir, '..', 'engine', 'database.ts')}')
  const { openReaders } = await import('${join(import.meta.dir, 'readers.ts')}')
  const { migrations } = await import('${join(import.meta.dir, '..', '..', 'testing', 'migrations.ts')}')
  const database = openDatabase({ url: '${folder}/tollgate.db', durability: 'process' }, migrations)
  await migrate(database)
  await openReaders(database).forCaller({ key: '1' }).selectFrom('options').selectAll().execute()
  console.log('ready')
  setInterval(() => undefined, 1000)`

/** The processes that `parent` started for a file in the folder. */
async function childrenOf(parent: number, folder: string): Promise<readonly number[]> {
  const found = await new Response(Bun.spawn(['pgrep', '-P', String(parent), '-f', folder]).stdout).text()
  return found
    .split('\n')
    .filter(line => line !== '')
    .map(Number)
}

/** Whether the process runs; one that has ended may stay listed until its parent takes note. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await new Response(Bun.spawn(['ps', '-o', 'stat=', '-p', String(pid)]).stdout).text()
  return /^[^Z]/.test(status.trim())
}
