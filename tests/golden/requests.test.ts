import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { PROJECT } from '../harness/program.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { billing } from './cases/billing.ts'
import { chatCases, rejectionCases } from './cases/chat.ts'
import { lookups, operations } from './cases/operations.ts'
import { sockets } from './cases/sockets.ts'
import { DIALECTS, type GoldenSite, startGoldenSite } from './golden-site.ts'
import { openRecording } from './recorded.ts'
import { createRecorder, type GoldenCases, type Recorder } from './recorder.ts'

/** Cases by the name of the file that holds their recording. */
const GROUPS: Readonly<Record<string, GoldenCases>> = {
  ...Object.fromEntries(DIALECTS.map(dialect => [`chat-${dialect}`, chatCases(dialect)])),
  ...Object.fromEntries(DIALECTS.map(dialect => [`rejections-${dialect}`, rejectionCases(dialect)])),
  operations,
  lookups,
  billing,
  sockets,
}

/** Those of features stand in their folders, with their recordings. */
const FEATURE_GROUPS = await Promise.all(
  [...new Glob('features/*/server/testing/golden.ts').scanSync(PROJECT)].sort().map(async path => {
    const { golden }: { readonly golden: GoldenCases } = await import(join(PROJECT, path))
    return [join(PROJECT, path.replace(/[.]ts$/, '')), golden] as const
  }),
)

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

function describeGroup(file: string, cases: GoldenCases): void {
  const recording = openRecording(file)

  test.each(Object.entries(cases))('responds, charges and logs as recorded: %s', async (name, work) => {
    recording.check(name, await recorder.run(work, recording.find(name)))
  })

  afterAll(() => recording.close())
}

describe.each(Object.entries(GROUPS))('%s', describeGroup)

test('ends with the recorded balances and totals', () => {
  const recording = openRecording('totals')
  recording.check('totals', recorder.readTotals())
  recording.close()
})

describe.each(FEATURE_GROUPS)('%s', describeGroup)

test('ends with a balanced ledger without open holds', async () => {
  expect(await verifyLedger({ DATA_DIR: site.gateway.dataDir })).toMatchObject({
    code: 0,
    drift: 0,
    openHolds: 0,
  })
})
