import { expect, test } from 'bun:test'
import { copyFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { runTollgate } from '../harness/program.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { startLab } from '../harness/start-lab.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

const MODEL = 'gpt-4o-mini'
const BODY = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
const CALLERS = 4
const CALLS_BEFORE = 20

/** Sends concurrent requests until stopped and returns the statuses. */
function keepCalling({ url }: RunningGateway, key: string) {
  const statuses: number[] = []
  let isNeeded = true
  const callers = Array.from({ length: CALLERS }, async () => {
    while (isNeeded) statuses.push((await callChat({ url, key, body: BODY })).status)
  })
  return {
    statuses,
    async stop() {
      isNeeded = false
      await Promise.all(callers)
    },
  }
}

/** Runs in a separate process, as an operator would. */
function copyDatabase(from: string, to: string): Promise<number> {
  const [source, target] = [from, to].map(path => JSON.stringify(path))
  const script = `new (require('bun:sqlite').Database)(${source}).query('vacuum into ?').run(${target})`
  return Bun.spawn([process.execPath, '-e', script]).exited
}

test('a backup made under load as docs/operations/operations.md describes serves with a balanced ledger', async () => {
  const folder = makeTemporaryFolder()
  const lab = await startLab()
  await using gateway = await startGateway()
  const root = await gateway.signInAsRoot()
  await addLabChannel(root, lab, { vendor: 'openai', models: [MODEL] })
  const { key } = await addToken(root)

  const load = keepCalling(gateway, key)
  while (load.statuses.length < CALLS_BEFORE) await Bun.sleep(10)
  const copy = join(folder.path, 'copy.db')
  expect(await copyDatabase(join(gateway.dataDir, 'tollgate.db'), copy)).toBe(0)
  await load.stop()
  expect(new Set(load.statuses)).toEqual(new Set([200]))

  renameSync(copy, join(folder.path, 'tollgate.db'))
  copyFileSync(join(gateway.dataDir, 'secret-key'), join(folder.path, 'secret-key'))
  const restored = await startGateway({ dataDir: folder.path })
  expect((await callChat({ url: restored.url, key, body: BODY })).status).toBe(200)
  await restored.stop()
  const { drift, output } = await verifyLedger({ DATA_DIR: folder.path })
  expect(drift).toBe(0)
  expect(Number(/^charges +(?<charges>\d+)$/m.exec(output)?.groups?.charges)).toBeGreaterThan(CALLS_BEFORE)
  await lab.stop()
  folder.remove()
})

test('a restored backup starts only with its secret key and names the missing key', async () => {
  const folder = makeTemporaryFolder()
  await using gateway = await startGateway()
  await addToken(await gateway.signInAsRoot())
  expect(await copyDatabase(join(gateway.dataDir, 'tollgate.db'), join(folder.path, 'tollgate.db'))).toBe(0)

  const { code, output } = await runTollgate(['serve'], { DATA_DIR: folder.path, PORT: '0' })
  expect(output).toContain('the secret key does not decrypt the secrets in this database')
  expect(code).toBe(1)
  expect((await verifyLedger({ DATA_DIR: folder.path })).drift).toBe(0)

  copyFileSync(join(gateway.dataDir, 'secret-key'), join(folder.path, 'secret-key'))
  const restored = await startGateway({ dataDir: folder.path })
  await restored.stop()
  folder.remove()
})
