import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { runTollgate } from '../harness/program.ts'
import { startGateway } from '../harness/start-gateway.ts'

test('gives the space of deleted rows back, only while no gateway serves', async () => {
  await using gateway = await startGateway()
  const { dataDir } = gateway
  const path = join(dataDir, 'tollgate.db')
  const whileServing = await runTollgate(['compact'], { DATA_DIR: dataDir })
  expect(whileServing).toMatchObject({ code: 1 })
  expect(whileServing.output).toContain('another Tollgate already serves from')
  await gateway.kill()
  const file = new Database(path)
  file.exec('create table filler (text text)')
  const fill = file.prepare('insert into filler values (?)')
  for (let row = 0; row < 200; row += 1) fill.run('x'.repeat(100_000))
  file.exec('delete from filler')
  file.close()
  const { size } = statSync(path)
  const compacted = await runTollgate(['compact'], { DATA_DIR: dataDir })
  expect(compacted.output).toMatch(/tollgate\.db: \d+\.\d MiB before, \d\.\d MiB now/)
  expect(compacted.code).toBe(0)
  expect(statSync(path).size).toBeLessThan(size / 4)
})
