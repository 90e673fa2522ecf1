import { expect, test } from 'bun:test'
import { copyFileSync, readdirSync, statSync, truncateSync } from 'node:fs'
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

test('a backup made under load is restored elsewhere and serves with the same tokens and a balanced ledger', async () => {
  const folder = makeTemporaryFolder()
  const lab = await startLab()
  await using gateway = await startGateway()
  const root = await gateway.signInAsRoot()
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL] })
  const { key } = await addToken(root)
  const file = join(folder.path, 'copy.db')
  const keyFile = join(folder.path, 'key')
  const elsewhere = join(folder.path, 'elsewhere')

  const load = keepCalling(gateway, key)
  while (load.statuses.length < CALLS_BEFORE) await Bun.sleep(10)
  const made = await runTollgate(['backup', file, '--key', keyFile], { DATA_DIR: gateway.dataDir })
  await load.stop()
  expect(made.output).toMatch(
    /copy\.db, .+ MiB: intact, 1 users, 1 tokens, 1 channels, \d+ postings; the books balance/,
  )
  expect(made.code).toBe(0)
  expect(new Set(load.statuses)).toEqual(new Set([200]))
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)

  const whileServing = await runTollgate(['restore', file, '--replace'], { DATA_DIR: gateway.dataDir })
  expect(whileServing.output).toContain('another Tollgate already serves from')
  const withoutKey = await runTollgate(['restore', file], { DATA_DIR: elsewhere })
  expect(withoutKey.output).toContain('the secret key does not belong to this backup')
  expect([whileServing.code, withoutKey.code]).toEqual([1, 1])

  const restored = await runTollgate(['restore', file, '--key', keyFile], { DATA_DIR: elsewhere })
  expect(restored.output).toContain('the books balance')
  expect(restored.code).toBe(0)
  expect(readdirSync(elsewhere).sort()).toEqual(['secret-key', 'tollgate.db', 'tollgate.db.lock'])
  const other = await startGateway({ dataDir: elsewhere })
  expect((await callChat({ url: other.url, key, body: BODY })).status).toBe(200)
  await other.stop()
  const { drift, output } = await verifyLedger({ DATA_DIR: elsewhere })
  expect(drift).toBe(0)
  expect(Number(/^charges +(?<charges>\d+)$/m.exec(output)?.groups?.charges)).toBeGreaterThan(CALLS_BEFORE)

  truncateSync(file, statSync(file).size - 40_960)
  const damaged = await runTollgate(['restore', file, '--replace'], { DATA_DIR: elsewhere })
  expect(damaged.output).toMatch(/damaged|malformed/)
  expect((await verifyLedger({ DATA_DIR: elsewhere })).drift).toBe(0)
  await lab.stop()
  folder.remove()
})

test('a database copied without its secret key does not start and names the missing key', async () => {
  const folder = makeTemporaryFolder()
  await using gateway = await startGateway()
  await addToken(await gateway.signInAsRoot())
  const file = join(folder.path, 'tollgate.db')
  expect((await runTollgate(['backup', file], { DATA_DIR: gateway.dataDir })).code).toBe(0)

  const { code, output } = await runTollgate(['serve'], { DATA_DIR: folder.path, PORT: '0' })
  expect(output).toContain('the secret key does not decrypt the secrets in this database')
  expect(code).toBe(1)

  copyFileSync(join(gateway.dataDir, 'secret-key'), join(folder.path, 'secret-key'))
  const restored = await startGateway({ dataDir: folder.path })
  await restored.stop()
  folder.remove()
})
