import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { billing } from './cases/billing.ts'
import { chatCases, rejectionCases } from './cases/chat.ts'
import { conversations } from './cases/conversations.ts'
import { lookups, operations } from './cases/operations.ts'
import { tasks } from './cases/tasks.ts'
import { DIALECTS, type GoldenSite, startGoldenSite } from './golden-site.ts'
import { openRecording } from './recorded.ts'
import { createRecorder, type GoldenCase, type Recorder } from './recorder.ts'

/** Cases by the name of the file that holds their recording. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, GoldenCase>>>> = {
  ...Object.fromEntries(DIALECTS.map(dialect => [`chat-${dialect}`, chatCases(dialect)])),
  ...Object.fromEntries(DIALECTS.map(dialect => [`rejections-${dialect}`, rejectionCases(dialect)])),
  operations,
  lookups,
  billing,
  conversations,
  tasks,
}

let site: GoldenSite
let recorder: Recorder

beforeAll(async () => {
  site = await startGoldenSite()
  recorder = createRecorder(site)
})

afterAll(async () => {
  recorder?.close()
  await site?.stop()
})

describe.each(Object.entries(GROUPS))('%s', (file, cases) => {
  const recording = openRecording(file)

  test.each(Object.entries(cases))('responds, charges and logs as recorded: %s', async (name, work) => {
    recording.check(name, await recorder.run(work, recording.find(name)))
  })

  afterAll(() => recording.close())
})

test('ends with the recorded balances and totals', () => {
  const recording = openRecording('totals')
  recording.check('totals', recorder.readTotals())
  recording.close()
})

test('ends with a balanced ledger without open holds', async () => {
  expect(await verifyLedger({ DATA_DIR: site.gateway.dataDir })).toMatchObject({
    code: 0,
    drift: 0,
    openHolds: 0,
  })
})
