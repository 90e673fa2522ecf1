import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BASE_COMMANDS } from '#server/cli/commands.ts'
import { commandsOf } from '#server/compose/commands.ts'
import { featuresOf } from '#server/compose/features.ts'
import { loadFeatures } from '#server/compose/modules.ts'
import { PROJECT, runTollgate } from '../harness/program.ts'
import { startGateway } from '../harness/start-gateway.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

const PASSPHRASE = 'a passphrase of the test'
const folder = makeTemporaryFolder()
const at = (name: string) => join(folder.path, name)
const HERE = at('here')

interface AuditedRun {
  readonly args: readonly string[]
  /** Folder of the database that gets the rows. Default: that of the installation. */
  readonly dataDir?: string
  /** File of that database. */
  readonly file?: string
  /** What its rows say, oldest first. */
  readonly rows: readonly object[]
}

/** In this order: each works on what the ones before have left. */
const AUDITED: Readonly<Record<string, AuditedRun>> = {
  'root-password': {
    args: [],
    rows: [
      { input: {}, before: { 1: { must_change_password: 0 } }, after: { 1: { must_change_password: 1 } } },
    ],
  },
  'root-factors': { args: [], rows: [{ input: {} }] },
  export: {
    args: [at('out.json'), '--with-secrets'],
    rows: [{ input: { file: at('out.json'), with_secrets: true } }],
  },
  import: {
    args: [at('out.json')],
    dataDir: at('there'),
    rows: [
      { input: { source: at('out.json') } },
      { input: { source: at('out.json'), brought: { users: expect.any(Number) } } },
    ],
  },
  restore: {
    args: [at('backup.db'), '--replace'],
    rows: [{ input: { file: at('backup.db'), replace: true } }],
  },
  move: {
    args: ['--to', at('moved.db')],
    file: at('moved.db'),
    rows: [{ input: { to: at('moved.db') } }],
  },
}

/** Leave no row, for a reason. */
const UNAUDITED = {
  serve: 'calls of the management API leave theirs',
  lab: 'has no database',
  verify: 'only reads',
  doctor: 'only reads',
  upgrade: 'only reads',
  backup: 'only reads, and runs by itself every day',
  compact: 'changes no record',
}

/** Background work of features, and why it leaves no row. */
const JOBS = {
  'audit-log': 'deletes its own old rows, which the ends of the chain prove',
  backups: 'only reads',
  budgets: 'merges counts of windows that have ended',
  'channel-health': 'counts attempts',
  'usage-alarm': 'looks for spikes and notifies',
  'charge-journal': 'posts charges that were made before',
  'child-tokens': 'ends what the change of a parent ends, and that change leaves its row',
  doctor: 'only reads',
  logs: 'counts rejections',
  'low-balance': 'sends notifications',
  organizations: 'ends what an earlier change of a project or a member ends, and that leaves its row',
  plans: 'renews what users have bought, each with its postings',
  'price-updates': 'applies approved prices: one row each time, tested beside the job',
  sessions: 'ends responses whose caller may not go on',
  'shared-limits': 'watches a store',
  tags: 'deletes the tags of requests whose log rows are gone',
  'token-addresses': 'counts requests by address, and deletes old counts',
  'top-ups': 'credits paid orders, each with its posting',
}

const features = featuresOf(await loadFeatures())

beforeAll(async () => {
  const gateway = await startGateway({ dataDir: HERE })
  await gateway.stop()
  await runTollgate(['backup', at('backup.db')], { DATA_DIR: HERE })
})
afterAll(() => folder.remove())

test('every command leaves a row, or has a reason why not', () => {
  const names = [...commandsOf(BASE_COMMANDS, features).keys()]
  expect(names.sort()).toEqual([...Object.keys(AUDITED), ...Object.keys(UNAUDITED)].sort())
})

test('every job of a feature leaves a row, or has a reason why not', () => {
  const source = (folder: string) =>
    readFileSync(join(PROJECT, 'features', folder, 'server', 'index.ts'), 'utf8')
  const withJobs = [...features.keys()].filter(folder => /\bjobs?: |\bjobs\b.*\}/.test(source(folder)))
  expect(withJobs.sort()).toEqual(Object.keys(JOBS).sort())
})

test.each(Object.entries(AUDITED))('tollgate %s leaves its row, without secrets', async (name, run) => {
  const { args, dataDir = HERE, file = join(dataDir, 'tollgate.db'), rows: expected } = run
  const environment = { DATA_DIR: dataDir, EXPORT_PASSPHRASE: PASSPHRASE }
  const { code, output } = await runTollgate([name, ...args], environment)
  expect({ code, output }).toMatchObject({ code: 0 })
  const rows = new Database(file, { readonly: true })
    .query('select * from audit_log where action = ? order by id')
    .all(`tollgate ${name}`) as { details: string }[]
  const details = rows.map(row => JSON.parse(row.details))
  expect(details).toMatchObject([...expected])
  expect(rows[0]).toMatchObject({ credential: 'command', actor_id: 0, code: '' })
  const password = /password of root is (\S+)/.exec(output)?.[1] ?? PASSPHRASE
  expect(JSON.stringify(rows)).not.toContain(password)
  expect(JSON.stringify(rows)).not.toContain(PASSPHRASE)
  if (file === join(dataDir, 'tollgate.db')) expect((await verifyLedger(environment)).drift).toBe(0)
})
